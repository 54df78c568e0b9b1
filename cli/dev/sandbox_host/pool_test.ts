import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { existsSync } from "node:fs";
import {
  applicationOf,
  hasNamespace,
  startApp,
  testPlatform,
  testRuntimes,
} from "../../testdata/sandbox.ts";
import { ownFolders } from "../../../testdata/own_effects.ts";
import { until, within } from "../../../testdata/waiting.ts";

const isAlive = (pid: number) => Deno.stat(`/proc/${pid}`).then(() => true, () => false);

const LINUX = { ignore: Deno.build.os !== "linux" };

Deno.test("concurrent invocations get a sandbox each up to the limit of the machine and of the function, and others wait", async () => {
  const limits = [
    [{}, { concurrency: 2 }],
    [{ reservedConcurrency: 2 }, {}],
  ] as const;
  for (const [settings, limit] of limits) {
    await using app = await startApp(
      `let running = 0;
      export const handler = async () => {
        running++;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return running--;
      };`,
      settings,
      limit,
    );
    const { invoke, host } = app;
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => invoke()));
    assertEquals(outcomes.map(({ json }) => json), [1, 1, 1, 1, 1], "one at a time in each");
    assertEquals(host.sandboxesOf("one").length, 2);
    const cold = outcomes.filter(({ logTail }) => logTail.includes("Init Duration"));
    assertEquals(cold.length, 2);
  }
});

Deno.test("a host that stops waits for a sandbox that is about to start, and leaves no folder", async () => {
  for (const delay of [0, 1, 2, 5, 10, 20]) {
    await using app = await startApp(`export const handler = () => 1;`);
    let hasEnded = false;
    const running = app.invoke().catch(() => {}).finally(() => hasEnded = true);
    await new Promise((resolve) => setTimeout(resolve, delay));
    await app[Symbol.asyncDispose]();
    assertEquals(hasEnded, true, `after ${delay} ms`);
    await running;
  }
});

Deno.test("a bundle that was replaced is removed when its last invocation has ended", async () => {
  const code = (text: string) =>
    `export const handler = async ({ wait }) => {
      await new Promise((resolve) => setTimeout(resolve, wait));
      return "${text}";
    };`;
  await using app = await startApp(code("first"));
  const builds = () =>
    ownFolders().filter((path) =>
      /^\/var\/tmp\/mate-[^/]+\/one-\d+$/.test(path) && existsSync(path)
    );
  const running = app.invoke({ wait: 1_000 });
  await until("its sandbox", () => app.host.sandboxesOf("one").length === 1);
  for (const text of ["second", "third"]) {
    await Deno.writeTextFile(`${app.folder}/one.ts`, code(text));
    await app.host.reload();
    assertEquals((await app.invoke({ wait: 0 })).json, text);
  }
  assertEquals((await running).json, "first");
  await until("one build", () => builds().length === 1, builds);
  assertEquals((await app.invoke({ wait: 0 })).json, "third");
});

Deno.test("a function without reserved concurrency is not invoked", async () => {
  await using app = await startApp(`export const handler = () => 1;`, { reservedConcurrency: 0 });
  await assertRejects(() => app.invoke(), Error, "its reservedConcurrency is 0");
});

const SLOW = `export const handler = async ({ wait }) => {
  await new Promise((resolve) => setTimeout(resolve, wait));
  return "done";
};`;

Deno.test("a change of the reserved concurrency begins as many waiting invocations as it allows", async () => {
  await using app = await startApp(SLOW, { reservedConcurrency: 1 });
  const { invoke, host } = app;
  let hasEnded = false;
  const running = invoke({ wait: 20_000 }).finally(() => hasEnded = true);
  const waiting = [1, 2, 3].map(() => invoke({ wait: 0 }));
  await until("the first sandbox", () => host.sandboxesOf("one").length === 1);
  await host.reload(applicationOf({ reservedConcurrency: 6 }));
  const outcomes = await within("the waiting invocations", Promise.all(waiting));
  assertEquals(outcomes.map(({ json }) => json), ["done", "done", "done"]);
  assertEquals(hasEnded, false, "the waiting ones did not wait for its end");
  await app[Symbol.asyncDispose]();
  await running;
});

Deno.test("every waiting invocation is answered if the reserved concurrency becomes 0, and after it returns", async () => {
  await using app = await startApp(SLOW, { reservedConcurrency: 1 });
  const { invoke, host } = app;
  const running = invoke({ wait: 1_000 });
  const waiting = [1, 2, 3].map(() => invoke());
  const settled = Promise.allSettled(waiting);
  await until("the first sandbox", () => host.sandboxesOf("one").length === 1);
  await host.reload(applicationOf({ reservedConcurrency: 0 }));
  const reasons = (await within("the refusals", settled)).map((outcome) =>
    outcome.status === "rejected" ? outcome.reason.message : "fulfilled"
  );
  const refusal =
    'Cannot invoke "test-one": its reservedConcurrency is 0, so AWS Lambda refuses every invocation';
  assertEquals(reasons, [refusal, refusal, refusal]);
  assertEquals((await running).json, "done", "the running invocation ends");
  await host.reload(applicationOf({ reservedConcurrency: 1 }));
  assertEquals((await invoke({ wait: 0 })).json, "done");
});

Deno.test("a function that leaves the manifest ends its running invocation and answers the waiting ones, and may return", async () => {
  await using app = await startApp(SLOW, { reservedConcurrency: 1 });
  const { invoke, host } = app;
  await Deno.copyFile(`${app.folder}/one.ts`, `${app.folder}/two.ts`);
  const running = invoke({ wait: 1_500 });
  const waiting = assertRejects(() => invoke(), Error, "has no such function any more");
  await until("the first sandbox", () => host.sandboxesOf("one").length === 1);
  const [sandbox] = host.sandboxesOf("one");
  const { one, ...rest } = applicationOf().functions;
  const others = { ...rest, two: { ...one!, code: { ...one!.code, module: "two.ts" } } };
  await host.reload({ ...applicationOf(), functions: others });
  await within("the refusal", waiting);
  await assertRejects(() => invoke(), Error, "there is no such function");
  assertEquals((await running).json, "done");
  await within("the end of its sandbox", sandbox!.gone);
  await host.reload(applicationOf({ reservedConcurrency: 1 }));
  assertEquals((await invoke({ wait: 0 })).json, "done");
});

Deno.test("an event that is made late is made when a sandbox is free, and nothing runs if that fails", async () => {
  await using app = await startApp(
    `export const handler = async (event) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return event;
    };`,
    { reservedConcurrency: 1 },
  );
  const { invoke, host } = app;
  const made: string[] = [];
  const first = invoke("a");
  const late = (text: string) => () => {
    made.push(text);
    if (text === "fails") throw new Error("no event");
    return new TextEncoder().encode(JSON.stringify(text));
  };
  const failing = assertRejects(() => host.invoke("one", late("fails")), Error, "no event");
  const second = host.invoke("one", late("is made"));
  await until("the first sandbox", () => host.sandboxesOf("one").length === 1);
  assertEquals(made, [], "the first invocation has the sandbox");
  await Promise.all([first, failing]);
  assertEquals(new TextDecoder().decode((await second).payload), '"is made"');
  assertEquals(made, ["fails", "is made"]);
});

testRuntimes("a sandbox is frozen between invocations", async (runtime) => {
  await using app = await startApp(
    `let count = 0; setInterval(() => {}, 1); export const handler = async () => ++count;`,
    { runtime },
  );
  const { invoke, host } = app;
  for (const count of [1, 2]) {
    assertEquals((await invoke()).json, count);
    const [sandbox] = host.sandboxesOf("one");
    assertEquals(sandbox!.isFrozen, true);
    const read = (file: string) => Deno.readTextFile(`/proc/${sandbox!.pid}/${file}`);
    const isStopped = async () => /^State:\tT \(stopped\)$/m.test(await read("status"));
    await until("the stop of the process", isStopped);
    const before = await read("schedstat");
    await new Promise((resolve) => setTimeout(resolve, 50));
    assertEquals(await read("schedstat"), before, "it has used no processor time");
  }
}, LINUX);

testPlatform("an idle sandbox ends, and so do all at the end of the host", async (runtime) => {
  await using app = await startApp(
    `export const handler = async ({ wait }) => { await new Promise((r) => setTimeout(r, wait)); };`,
    { runtime },
    { idleLimit: 200 },
  );
  const { invoke, host } = app;
  await invoke({ wait: 0 });
  const [idle] = host.sandboxesOf("one");
  const mounts = await Deno.readTextFile(`/proc/${idle!.pid}/mountinfo`);
  const [, tmp] = /\/(tmp-\w+) \/tmp /.exec(mounts) ?? [];
  assertEquals(tmp !== undefined, hasNamespace);
  await within("the end of the idle sandbox", idle!.gone);
  assertEquals(await isAlive(idle!.pid), false);
  const folder = ownFolders().findLast((path) => /^\/var\/tmp\/mate-[^/]+$/.test(path))!;
  const left = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assertEquals(tmp !== undefined && left.includes(tmp), false, "its /tmp is gone");
  const pending = invoke({ wait: 25_000 });
  await until("a sandbox", () => host.sandboxesOf("one").length > 0);
  const pids = host.sandboxesOf("one").map(({ pid }) => pid);
  await app[Symbol.asyncDispose]();
  assertEquals((await pending).failure, "exit");
  assertEquals(pids.length, 1);
  assertEquals(await isAlive(pids[0]!), false);
}, LINUX);

testRuntimes("reload() takes new code and settings, and ignores broken code", async (runtime) => {
  const version = (number: number) =>
    `export const handler = async ({ wait }, { memoryLimitInMB }) => {
      await new Promise((r) => setTimeout(r, wait)); return [${number}, Number(memoryLimitInMB)]; };`;
  await using app = await startApp(version(1), { runtime });
  const { invoke, host, folder, log } = app;
  await invoke({ wait: 0 });
  const [first] = host.sandboxesOf("one");
  assertEquals(await host.reload(), []);
  assertEquals(host.sandboxesOf("one"), [first!], "the same code, the same sandbox");
  const slow = invoke({ wait: 1_500 });
  assertEquals(await host.reload(applicationOf({ runtime, memory: 192 })), ["one"]);
  assertEquals((await invoke({ wait: 0 })).json, [1, 192], "only the settings are new");
  await Deno.writeTextFile(`${folder}/one.ts`, version(2));
  assertEquals(await host.reload(), ["one"]);
  assertEquals((await invoke({ wait: 0 })).json, [2, 192]);
  assertEquals((await slow).json, [1, 128]);
  await within("the end of the first sandbox", first!.gone);
  await Deno.writeTextFile(`${folder}/one.ts`, "export const handler = (");
  assertEquals(await host.reload(), []);
  assertMatch(log.at(-1)!, /^ERROR Cannot bundle the function "one": Unexpected end of file/);
  assertEquals((await invoke({ wait: 0 })).json, [2, 192]);
  const { length } = log;
  assertEquals([await host.reload(), log.length], [[], length], "a fault is reported once");
  await Deno.writeTextFile(`${folder}/one.ts`, version(2));
  assertEquals(await host.reload(), ["one"], "the repair of a fault is reported");
});

testPlatform("reload() starts the new code of the function invoked last", async (runtime) => {
  await using app = await startApp(`export const handler = async () => 1;`, { runtime });
  const { invoke, host, folder, log } = app;
  const save = async (code: string) => {
    await Deno.writeTextFile(`${folder}/one.ts`, code);
    await host.reload();
  };
  await save(`export const handler = async () => 2;`);
  assertEquals(host.sandboxesOf("one"), [], "nobody has invoked the function");
  await invoke();
  const [former] = host.sandboxesOf("one");
  await save(`console.log("loaded"); export const handler = async () => 3;`);
  await within("the end of the former sandbox", former!.gone);
  await until("the new sandbox", () => host.sandboxesOf("one").length === 1);
  const [sandbox] = host.sandboxesOf("one");
  await until("the end of the start", () => sandbox!.isFrozen, () => log);
  assertMatch(log.at(-1)!, /\tINFO\tloaded$/);
  const { json, logTail } = await invoke();
  assertEquals(json, 3);
  assertEquals(host.sandboxesOf("one"), [sandbox!]);
  assertEquals(/Init Duration/.test(logTail), false, "the invocation did not wait for it");

  await save(`throw new RangeError("not today"); export const handler = 1;`);
  const { json: error } = await invoke();
  assertEquals((error as Error & { errorMessage: string }).errorMessage, "not today");
  await save(`export const handler = async () => 4;`);
  const both = await Promise.all([invoke(), invoke()]);
  assertEquals(both.map(({ json }) => json), [4, 4]);
});

testPlatform("a host that ends while code starts leaves no process or error", async (runtime) => {
  const app = await startApp(`export const handler = async () => 1;`, { runtime });
  await app.invoke();
  await Deno.writeTextFile(`${app.folder}/one.ts`, `export const handler = async () => 2;`);
  const { length } = app.log;
  await app.host.reload();
  await app[Symbol.asyncDispose]();
  assertEquals(app.host.sandboxesOf("one"), []);
  assertEquals(app.log.slice(length), []);
});
