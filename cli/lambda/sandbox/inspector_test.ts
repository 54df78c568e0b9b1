import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { get } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Debugger } from "../../testdata/debugger.ts";
import { applicationOf, hasNamespace, NODE_RUNTIMES, startApp } from "../../testdata/sandbox.ts";
import { until } from "../../../testdata/waiting.ts";
import { plainFolders } from "../isolation/isolation.ts";
import { checkInspected } from "./inspector.ts";

/** With a bundler of its own, a bundle names its sources relative to the folder of the application. */
const INSPECTED = { inspect: "one", bundles: undefined };

const MODULE = `interface Input { readonly name: string }
const started: number = Date.now();

export const handler = async ({ name }: Input, context: { getRemainingTimeInMillis(): number }) => {
  if (name === "forever") await new Promise((end) => setTimeout(end, 60_000));
  const greeting: string = "Hello, " + name;
  console.log(greeting);
  return [greeting, context.getRemainingTimeInMillis() > 60_000];
};
`;

/** The time-out of the function, in seconds. */
const TIMEOUT = 2;

for (const runtime of ["deno", ...NODE_RUNTIMES] as const) {
  Deno.test({
    name: `inspect on ${runtime}: a debugger stops at lines of the source, and no time-out counts`,
    ignore: !hasNamespace,
    async fn(t) {
      const settings = { runtime, timeout: TIMEOUT };
      await using app = await startApp(MODULE, settings, INSPECTED);
      const waits = runtime !== "deno";
      const { url } = app.host.inspector!;
      const source = pathToFileURL(join(app.folder, "one.ts")).href;
      const sandboxes = () => app.host.sandboxesOf("one");

      await t.step("the process waits for its first debugger", async () => {
        await using client = await Debugger.attach(url);
        await client.breakAt(source, 2, waits);
        if (!waits) return; // Deno waits for the debugger, but not for its breakpoints.
        assertEquals(await client.paused("typeof started"), ["undefined"]);
        await client.send("Debugger.resume");
      });
      await t.step("a pause may be longer than the time-out", async () => {
        await using client = await Debugger.attach(url);
        await client.breakAt(source, 7, false);
        const answer = app.invoke({ name: "Ada" });
        assertEquals(await client.paused("greeting", "name"), ["Hello, Ada", "Ada"]);
        await new Promise((resolve) => setTimeout(resolve, TIMEOUT * 1_000 + 500));
        await client.send("Debugger.resume");
        const { json, logTail } = await answer;
        assertEquals(json, ["Hello, Ada", true]);
        const [, duration] = /\tDuration: ([\d.]+) ms\t/.exec(logTail) ?? [];
        assert(Number(duration) < TIMEOUT * 1_000, `the pause counts: ${duration} ms`);
        assertEquals(sandboxes().map(({ isFrozen }) => isFrozen), [false]);
      });
      await t.step("then the function is frozen, and its time-out counts", async () => {
        await until("the freeze", () => sandboxes()[0]!.isFrozen);
        const outcomes = await Promise.all(["A", "B"].map((name) => app.invoke({ name })));
        assertEquals(outcomes.map(({ json }) => json), [["Hello, A", false], ["Hello, B", false]]);
        assertEquals(sandboxes().length, 1);
        assertEquals((await app.invoke({ name: "forever" })).failure, "timeout");
      });
      await t.step("a reload keeps the address", async () => {
        await using former = await Debugger.attach(url);
        await former.breakAt(source, 7, waits);
        await Deno.writeTextFile(join(app.folder, "one.ts"), MODULE.replace("Hello", "Hi"));
        assertEquals(await app.host.reload(), ["one"]);
        await former.closed;
        await using client = await Debugger.attach(url);
        await client.breakAt(source, 7, waits);
        const answer = app.invoke({ name: "Ada" });
        assertEquals(await client.paused("greeting"), ["Hi, Ada"]);
        await client.send("Debugger.resume");
        await answer;
      });
      assertEquals(app.log.filter((line) => /debugger|inspector/i.test(line)), []);
    },
  });
}

/** Calls `fetch`, and evaluates expressions. */
const FETCHING = `export const handler = async ({ urls = [], expressions = [] }) => ({
  statuses: await Promise.all(urls.map((url) => fetch(url).then(({ status }) => status, () => 0))),
  values: await Promise.all(expressions.map(async (text) => {
    try { return "" + await (0, eval)(text); } catch (error) { return error.name; }
  })),
});`;

for (const runtime of ["deno", ...NODE_RUNTIMES.slice(-1)] as const) {
  Deno.test({
    name: `inspect on ${runtime}: only a program of the developer finds the address`,
    ignore: !hasNamespace,
    async fn() {
      const settings = { runtime, permissions: runtime === "deno" ? { net: ["*"] } : undefined };
      await using app = await startApp(FETCHING, settings, INSPECTED);
      const url = new URL(app.host.inspector!.url);
      const lists = ["/json", "/json/list"].map((path) => `http://${url.host}${path}`);
      for (const list of lists) {
        const [target] = await (await fetch(list)).json();
        assertEquals(target.webSocketDebuggerUrl, url.href);
        assertStringIncludes(target.devtoolsFrontendUrl, url.href.slice(5));
      }
      await assertRejects(() => Debugger.attach(`ws://${url.host}/${"0".repeat(32)}`));
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      const headers = { host: `shop.test:${url.port}` };
      get(lists[0]!, { headers }, (response) => resolve(response.resume().statusCode));
      assertEquals(await promise, 403);

      await app.invoke();
      const [sandbox] = app.host.sandboxesOf("one");
      const [own] = /127\.0\.0\.1:\d+/.exec(`${sandbox!.inspection!.options(false)}`)!;
      const { json } = await app.invoke({ urls: [...lists, `http://${own}/json/list`] });
      const [first, second, third] = (json as { statuses: number[] }).statuses;
      assertEquals([first, second, third === 200], [403, 403, false]);
    },
  });
}

Deno.test({
  name:
    "inspect without a namespace: Node.js keeps its permissions, and its inspector from the function",
  ignore: NODE_RUNTIMES.length === 0 || Deno.build.os === "darwin" && Deno.build.arch === "aarch64",
  async fn() {
    const settings = { runtime: "nodejs24.x" };
    const plain = plainFolders("a test needs this");
    await using app = await startApp(FETCHING, settings, INSPECTED, plain);
    const { host, href } = new URL(app.host.inspector!.url);
    assertEquals((await fetch(`http://${host}/json/list`)).status, 403);
    {
      await using client = await Debugger.attach(href);
      await client.breakAt(pathToFileURL(join(app.folder, "one.ts")).href, 1);
    }
    const expressions = [
      'process.getBuiltinModule("node:fs").readFileSync("/etc/passwd")',
      'Object.keys(process.getBuiltinModule("node:inspector"))',
      'new (process.getBuiltinModule("node:inspector/promises").Session)()',
      'process.binding("inspector")',
    ];
    const { json } = await app.invoke({ expressions });
    const { values } = json as { values: string[] };
    assertEquals(values, ["Error", "", "TypeError", "Error"]);
  },
});

Deno.test("inspect: a function that is not there, or that cannot be inspected, is an error", async () => {
  const cases = [
    ["ome", {}, 'Cannot inspect "ome": the functions are "one"'],
    ["one", { runtime: "nodejs22.x" }, 'Cannot inspect "one" here: Node.js 22.'],
  ] as const;
  const plain = plainFolders("a test needs this");
  for (const [inspect, settings, message] of cases) {
    const start = () => startApp(MODULE, settings, { inspect }, plain);
    await assertRejects(start, Error, message);
  }
});

Deno.test("checkInspected() knows which pinned Node.js has no inspector in plain folders", () => {
  const plain = plainFolders("a test needs this");
  const on24 = 'on "nodejs24.x", or ';
  const cases = [
    ["deno", "darwin-aarch64", undefined],
    ["nodejs24.x", "linux-x86_64", undefined],
    ["nodejs24.x", "linux-aarch64", undefined],
    ["nodejs24.x", "darwin-x86_64", undefined],
    ["nodejs24.x", "darwin-aarch64", "24.0.0"],
    ["nodejs22.x", "linux-x86_64", "22.23.3", on24],
    ["nodejs22.x", "darwin-x86_64", "22.23.3", on24],
    ["nodejs22.x", "darwin-aarch64", "22.23.2"],
  ] as const;
  for (const [runtime, system, version, other = ""] of cases) {
    const { functions } = applicationOf({ runtime });
    const check = () => checkInspected("one", functions, plain, system);
    if (version === undefined) check();
    else {
      assertThrows(
        check,
        Error,
        `Cannot inspect "one" here: Node.js ${version} has no inspector if its permissions protect the files; ` +
          `inspect it ${other}on a Linux with mount namespaces`,
      );
    }
    checkInspected("one", functions, { ...plain, kind: "root namespace" }, system);
  }
});
