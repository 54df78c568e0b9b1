import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { plainFolders } from "../../lambda/isolation/isolation.ts";
import { USER_ID } from "../../lambda/isolation/root_folder.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import { resolveGiven } from "../resolve_locally.ts";
import { bundles, makeApp, serve } from "../../testdata/bundle.ts";
import {
  applicationOf,
  hasNamespace,
  isolation,
  startApp,
  testPlatform,
  testRuntimes,
} from "../../testdata/sandbox.ts";
import { SandboxHost } from "./host.ts";
import { ownFolders } from "../../../testdata/own_effects.ts";
import { until } from "../../../testdata/waiting.ts";
import { temporaryFolder } from "../../../testdata/programs.ts";

testRuntimes("a cold start reports its init phase, and a warm one does not", async (runtime) => {
  await using app = await startApp(
    `console.log("init"); let count = 0;
    export const handler = async (event, context) => {
      console.log("one\\ntwo"); console.error("three");
      return { event, count: ++count, id: context.awsRequestId, pid: process.pid };
    };`,
    { runtime },
  );
  const { host, invoke, log } = app;
  const first = await invoke({ a: 1 }, { requestId: "id-1" });
  const { pid } = first.json as { pid: number };
  assertEquals(first.json, { event: { a: 1 }, count: 1, id: "id-1", pid });
  assertEquals([first.requestId, first.failure], ["id-1", undefined]);
  assertEquals(first.logTail, log.map((line) => `${line}\n`).join(""));
  const [init, start, ...rest] = log.splice(0);
  assertMatch(init!, /\t(?:-|undefined)?\tINFO\tinit$/);
  assertEquals(start, "START RequestId: id-1 Version: $LATEST");
  assertMatch(rest[0]!, /\tid-1\tINFO\tone\rtwo$/);
  assertMatch(rest[1]!, /\tid-1\tERROR\tthree$/);
  assertEquals(rest[2], "END RequestId: id-1");
  assertMatch(
    rest[3]!,
    /^REPORT RequestId: id-1\tDuration: [\d.]+ ms\tBilled Duration: \d+ ms\tMemory Size: 128 MB\tMax Memory Used: [1-9]\d* MB\tInit Duration: [\d.]+ ms\t$/,
  );
  const second = await invoke({ a: 2 });
  assertEquals(second.json, { event: { a: 2 }, count: 2, id: second.requestId, pid });
  assertMatch(second.requestId, /^[0-9a-f-]{36}$/);
  assertEquals(/Init Duration|init/.test(second.logTail), false);
  const unknown = 'Cannot invoke "two": there is no such function';
  await assertRejects(() => host.invoke("two", new Uint8Array()), Error, unknown);

  const application = applicationOf();
  const { one } = application.functions;
  const two = { ...one!, code: { ...one!.code, export: "nope" } };
  await host.reload({ ...application, functions: { one: one!, two } });
  const broken = 'Cannot invoke "two": the module "one.ts" does not export "nope"';
  await assertRejects(() => host.invoke("two", new Uint8Array()), Error, broken);
});

Deno.test("a variable that is undefined because of a missing use is named with the key to add", async () => {
  const functions = {
    one: { module: "one.ts", uses: { buckets: { files: "read" } }, environment: { QUEUE_SET: "" } },
    two: {
      module: "one.ts",
      uses: { buckets: { files: "read" }, topics: { "big-news": "publish" } },
    },
  };
  const queues = { jobs: {}, set: {} };
  const tables = { unread: { key: { id: "string" } } };
  const app = JSON.stringify({ name: "test", stage: "v0", functions, queues, tables });
  const texts: string[] = [];
  await using _app = await startApp(
    `const { QUEUE_JOBS, TOPIC_BIG_NEWS, BUCKET_FILES, QUEUE_SET, TABLE_OTHER } = process.env;
     export const handler = () => [QUEUE_JOBS, TOPIC_BIG_NEWS, BUCKET_FILES, QUEUE_SET, TABLE_OTHER];`,
    {},
    {
      application: resolveGiven(parseManifest(app, "app.json")),
      log: ({ functionName, text }) => void texts.push(`${functionName}: ${text}`),
    },
  );
  const warnings = texts.filter((text) => text.includes("undefined"));
  assertEquals(warnings.sort(), [
    'one: WARN QUEUE_JOBS is undefined: add "jobs" to "uses.queues" of "one"',
    'one: WARN TOPIC_BIG_NEWS is undefined: add "big-news" to "uses.topics" of "one"',
    'two: WARN QUEUE_JOBS is undefined: add "jobs" to "uses.queues" of "two"',
    'two: WARN QUEUE_SET is undefined: add "set" to "uses.queues" of "two"',
  ]);
});

Deno.test("a warning about a bundle comes once, although each change of the function bundles it again", async () => {
  const texts: string[] = [];
  const code = (end: number) => `export const handler = () => Deno.version.deno + ${end};`;
  await using app = await startApp(code(1), { runtime: "nodejs24.x" }, {
    log: ({ text }) => void texts.push(text),
  });
  for (const end of [2, 3]) {
    await Deno.writeTextFile(`${app.folder}/one.ts`, code(end));
    assertEquals(await app.host.reload(), ["one"]);
  }
  const warnings = texts.filter((text) => text.includes('uses "Deno", and Node.js has none'));
  assertEquals(warnings.length, 1, texts.join("\n"));
});

testPlatform("a function has its new name after the application got one", async (runtime) => {
  await using app = await startApp(
    `export const handler = async (_event, { functionName }) => [functionName, process.env.AWS_LAMBDA_FUNCTION_NAME];`,
    { runtime },
  );
  assertEquals((await app.invoke()).json, ["test-one", "test-one"]);
  await app.host.reload(applicationOf({ runtime }, "shop"));
  assertEquals((await app.invoke()).json, ["shop-one", "shop-one"]);
});

Deno.test("a function has only the variables of AWS Lambda and of the manifest", async () => {
  await using app = await startApp(`export const handler = () => Deno.env.toObject();`, {
    memory: 256,
    environment: { MINE: "$HOME 'x'", TZ: "Europe/Paris" },
  });
  const environment = (await app.invoke()).json as Record<string, string>;
  const ofTheStart = /^(DENO_DIR|DENO_NO_UPDATE_CHECK|OLDPWD|PWD|SHLVL|_)$/; // or of the shell
  const names = Object.keys(environment).filter((name) => !ofTheStart.test(name));
  const ofLambda = "FUNCTION_MEMORY_SIZE FUNCTION_NAME FUNCTION_VERSION INITIALIZATION_TYPE " +
    "LOG_GROUP_NAME LOG_STREAM_NAME RUNTIME_API";
  const others =
    "AWS_DEFAULT_REGION AWS_REGION AWS_SESSION_TOKEN HOME LAMBDA_RUNTIME_DIR LAMBDA_TASK_ROOT LANG " +
    "LD_LIBRARY_PATH MINE PATH TZ _HANDLER _X_AMZN_TRACE_ID";
  const expected = ofLambda.split(" ").map((name) => `AWS_LAMBDA_${name}`);
  assertEquals(names.sort(), [...expected, ...others.split(" ")].sort());
  const { MINE, TZ, HOME } = environment;
  assertEquals([MINE, TZ, HOME], ["$HOME 'x'", "Europe/Paris", "/tmp"]);
  assertEquals(environment.AWS_LAMBDA_FUNCTION_NAME, "test-one");
  assertEquals(environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE, "256");
  const stream = environment.AWS_LAMBDA_LOG_STREAM_NAME!;
  assertMatch(stream, /^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][0-9a-f]{32}$/);
});

Deno.test({
  name: "a function has the user and the folder of AWS Lambda, and can write only to its own /tmp",
  ignore: !hasNamespace,
  async fn() {
    await using app = await startApp(`import { writeFileSync } from "node:fs";
      export const handler = ({ path }) => {
        try { writeFileSync(path, "x"); return [Deno.uid(), import.meta.url, Array.from(Deno.readDirSync("/tmp"), (e) => e.name).sort()]; }
        catch (error) { return error.name + ": " + error.message; }
      };`);
    const facts = [993, "file:///var/task/index.mjs", ["deno", "mine"]];
    assertEquals((await app.invoke({ path: "/tmp/mine" })).json, facts);
    assertEquals(await Deno.stat("/tmp/mine").catch(({ name }) => name), "NotFound");
    for (const path of ["/var/task/x", "/opt/x", "/home/x"]) {
      const { json } = await app.invoke({ path });
      assertMatch(json as string, /^NotCapable: Requires write access/);
    }
  },
});

Deno.test("a function without a permission gets an error that names it", async () => {
  const notes: string[] = [];
  await using app = await startApp(
    `export const handler = (event) => event.path
       ? Deno.readTextFile(event.path)
       : fetch(event.url).then((response) => response.status);`,
    { environment: { HOST: "127.0.0.1" }, permissions: { net: ["${HOST}", "*.example.com:443"] } },
    { log: ({ functionName, text }) => functionName || notes.push(text) },
  );
  await using server = Deno.serve({ port: 0, onListen() {} }, () => new Response(null));
  const { port } = server.addr;
  assertEquals((await app.invoke({ url: `http://127.0.0.1:${port}/` })).json, 200);
  const outcome = await app.invoke({ url: `http://localhost:${port}/` });
  assertEquals(outcome.failure, "error");
  const { errorType, errorMessage } = outcome.json as Record<string, string>;
  assertEquals(errorType, "NotCapable");
  assertMatch(errorMessage!, new RegExp(`^Requires net access to "localhost:${port}"`));
  assertMatch(outcome.logTail, /Status: error\tError Type: Function\.NotCapable\t\n$/);
  assertEquals(
    notes.at(-1),
    'The function "one" may connect only to the hosts of "permissions.net" and "uses" in the manifest',
  );
  assertEquals((await app.invoke({ path: "/etc/passwd" })).failure, "error");
  assertEquals(
    notes.at(-1),
    "A function may read its own files and /tmp, write to /tmp, and run no program",
  );
  for (const path of ["data.json", "./data/a.json"]) {
    await app.invoke({ path });
    assertMatch(notes.at(-1)!, /^A bundle has only files that the code imports/);
  }
  const { length } = notes;
  await app.invoke({ path: "/tmp/data.json" });
  assertEquals(notes.length, length, "a file that the function itself may have written");
});

Deno.test({
  name: "compiled code in plain folders belongs to the user of the functions",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using app = await startApp(
      "export const handler = () => 1;",
      {},
      {},
      plainFolders("a test needs this"),
    );
    await app.invoke();
    const folder = ownFolders().findLast((path) => /^\/var\/tmp\/mate-[^/]+$/.test(path));
    const cache = `${folder}/one-1-cache`;
    const { uid, mode } = Deno.statSync(cache);
    assertEquals([uid, mode! & 0o777], [Deno.uid() === 0 ? USER_ID : Deno.uid(), 0o700]);
    assertNotEquals([...Deno.readDirSync(cache)], [], "Deno has written there");
  },
});

testRuntimes("an invocation ends in the log after all its lines", async (runtime) => {
  const module = `export const handler = (count) => {
      for (let line = 1; line <= count; line++) console.log("x".repeat(1_000), "line " + line);
      console.error("error");
    };`;
  await using app = await startApp(module, { runtime });
  for (const count of [0, 1, 60, 2_000]) { // The pipe of a process holds 64 KB.
    app.log.length = 0;
    await app.invoke(count);
    const lines = app.log.slice(0, app.log.findIndex((line) => line.startsWith("END ")));
    const numbers = lines.flatMap((line) => /line (\d+)$/.exec(line)?.[1] ?? []);
    assertEquals(numbers, Array.from({ length: count }, (_, index) => `${index + 1}`));
    assert(lines.some((line) => line.endsWith("error")));
  }
});

testPlatform("the peak memory in the log is that of the process", async (runtime) => {
  await using app = await startApp(
    `let kept;
    export const handler = async (size) => {
      kept = new Uint8Array(size).fill(1);
    };`,
    { runtime, memory: 512 },
  );
  const peaks: number[] = [];
  for (const size of [1_000_000, 120_000_000]) {
    const { logTail } = await app.invoke(size);
    peaks.push(Number(/\tMax Memory Used: (\d+) MB\t/.exec(logTail)![1]));
  }
  const [first, second] = peaks as [number, number];
  // A runtime alone takes some dozens of megabytes.
  assertEquals(first > 20 && first < 190, true, `${first} MB`);
  assertEquals(second >= first + 90 && second < 370, true, `${second} MB`);
}, { ignore: Deno.build.os !== "linux" });

Deno.test("the rules in the log repeat nothing that a client or a function wrote", async () => {
  const notes: string[] = [];
  await using app = await startApp(
    "export const handler = (text) => console.log(text);",
    {},
    { log: ({ functionName, text }) => functionName || notes.push(text) },
  );
  const lines = [
    'NotCapable: Requires net access to "evil.example:443", run again with the --allow-net flag',
    'Requires run access to "evil.example"',
    "No such file or directory (os error 2): open 'evil.example'",
    "Runtime.OutOfMemory",
  ];
  for (const line of lines) await app.invoke(line);
  assertEquals(notes.filter((note) => note.includes("evil")), []);
});

testRuntimes("a function asks for everything that Deno tells about the system", async (runtime) => {
  await using app = await startApp(
    `import os from "node:os"; import process from "node:process";
    export const handler = async () => [
      os.userInfo().uid, os.networkInterfaces(), os.loadavg(), os.getPriority(), process.umask(), os.freemem(),
    ].map((value) => typeof value);`,
    { runtime },
  );
  const { json } = await app.invoke();
  assertEquals(json, ["number", "object", "object", "number", "number", "number"]);
});

Deno.test("SandboxHost.open() throws if functions cannot be bundled, and names each of them", async () => {
  const functions = { one: { module: "one.ts" }, two: { module: "two.ts", handler: "main" } };
  await using app = await makeApp({ "two.ts": "export const handler = 1;" }, functions);
  const application = await app.read();
  const error = await assertRejects(
    () => SandboxHost.open({ application, manifestPath: app.manifest, bundles, log() {} }),
    Error,
  );
  assertMatch(error.message, /"one": the module "one\.ts" is not a file in/);
  assertMatch(error.message, /"two": the module "two\.ts" does not export "main"/);
});

Deno.test({
  name: "a function in plain folders cannot change code, permissions or compiled code",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using app = await startApp(
      `export const handler = ({ path }) => {
        const full = path.replace("TASK", import.meta.dirname).replace("CACHE", Deno.env.get("DENO_DIR"));
        try { Deno.writeTextFileSync(full, ""); } catch (error) { return error.name; }
        return Deno.env.has("USER");
      };`,
      {},
      {},
      plainFolders("a test needs this"),
    );
    const paths = ["TASK/x", "TASK/../two-1/index.mjs", "TASK/../two-1/mate/net", "CACHE/x"];
    for (const path of [...paths, "/home/x"]) {
      assertEquals((await app.invoke({ path })).json, "NotCapable", path);
    }
    const path = `/tmp/mate-test-${crypto.randomUUID()}`;
    assertEquals((await app.invoke({ path })).json, false);
    await Deno.remove(path);
  },
});

Deno.test("a host that bundles later bundles what is invoked first, and a fault stops only its function", async () => {
  for (const bundling of ["later", "when invoked"] as const) {
    await using app = await makeApp({
      "one.ts": "export const handler = () => 1;",
      "two.ts": "export const handler = (",
      "three.ts": "export const handler = () => 3;",
    }, {});
    const functions = Object.fromEntries(
      ["one", "two", "three"].map((name) => [name, { module: `${name}.ts` }]),
    );
    await Deno.writeTextFile(app.manifest, JSON.stringify({ name: "a", stage: "v0", functions }));
    const application = await app.read();
    const log: string[] = [];
    const isAll: boolean[] = [];
    await using host = await SandboxHost.open({
      application,
      manifestPath: app.manifest,
      bundles,
      bundling,
      onBundled: (value) => isAll.push(value),
      log: ({ text }) => log.push(text),
    });
    assertEquals(isAll, [], "nothing was bundled before the host opened");
    const invoke = async (name: string) =>
      new TextDecoder().decode((await host.invoke(name, new Uint8Array([123, 125]))).payload);
    const answers = await Promise.allSettled(["one", "two", "one"].map(invoke));
    assertEquals(answers.map((answer) => answer.status === "fulfilled" && answer.value), [
      "1",
      false,
      "1",
    ]);
    assertMatch(log.join("\n"), /ERROR Cannot bundle the function "two": Unexpected end of file/);
    // The code that is saved before the first invocation counts.
    if (bundling === "when invoked") {
      await Deno.writeTextFile(`${app.folder}/three.ts`, "export const handler = () => 33;");
      assertEquals([await host.reload(), await invoke("three")], [[], "33"]);
    } else {
      await until("all bundles", () => isAll.at(-1) === true);
      assertEquals(isAll[0], false);
      assertEquals(await invoke("three"), "3");
    }
    await Deno.writeTextFile(`${app.folder}/two.ts`, "export const handler = () => 2;");
    assertEquals([await host.reload(), await invoke("two")], [["two"], "2"]);
  }
});

Deno.test("a runtime that is downloaded stops only its own functions, and is asked for again after a failure", async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await using registry = serve(async () => {
    asked.resolve();
    await answer.promise;
    return new Response("", { status: 404 });
  });
  const module = "export const handler = () => 1;";
  await using app = await makeApp({ "package.json": "{}", "a.js": module, "b.js": module }, {
    node: { module: "a.js", runtime: "nodejs24.x" },
    deno: { module: "b.js" },
  });
  await using host = await SandboxHost.open({
    application: await app.read(),
    manifestPath: app.manifest,
    log() {},
    bundles,
    bundling: "when invoked",
    source: { registry: registry.url, cache: `${temporaryFolder()}/mate` },
  }, isolation);
  const invoke = async (name: string) =>
    new TextDecoder().decode((await host.invoke(name, new Uint8Array([123, 125]))).payload);
  const waiting = [assertRejects(() => invoke("node"), Error, "the server answers 404")];
  await asked.promise;
  waiting.push(assertRejects(() => invoke("node"), Error, "the server answers 404"));
  assertEquals(await invoke("deno"), "1");
  answer.resolve();
  await Promise.all(waiting);
  await assertRejects(() => invoke("node"), Error, "the server answers 404");
});

Deno.test("a host that bundles later starts the first function early, and bundles nothing else while it runs", async () => {
  await using app = await makeApp({
    "other.ts": "export const handler = () => 1;",
    "slow.ts": `export const handler = () => new Promise((resolve) => setTimeout(resolve, 2_000));`,
  }, { other: { module: "other.ts" }, slow: { module: "slow.ts" } });
  const bundled: boolean[] = [];
  const open = async () =>
    SandboxHost.open({
      application: await app.read(),
      manifestPath: app.manifest,
      bundles,
      bundling: "later",
      first: "slow",
      onBundled: (isAll) => bundled.push(isAll),
      log() {},
    });
  {
    await using host = await open();
    await host.invoke("slow", new Uint8Array([123, 125]));
    assertEquals([bundled, host.sandboxesOf("slow").length], [[false], 1]);
    await until("all bundles", () => bundled.length > 1);
    assertEquals([bundled, host.sandboxesOf("other").length], [[false, true], 0]);
  }
  await using host = await open();
  await until("the sandbox", () => host.sandboxesOf("slow").length > 0);
});

/** Lets the runtime of hosts be made only after the promise. Returns the folders of code that are made meanwhile. */
function holdRuntime(promise: Promise<unknown>): string[] & Disposable {
  const { mkdir } = Deno;
  const code: string[] = [];
  Deno.mkdir = async (path, options) => {
    if (/\/one-\d+$/.test(`${path}`)) code.push(`${path}`);
    if (`${path}`.endsWith("/layer/bin")) await promise;
    await mkdir(path, options);
  };
  return Object.assign(code, { [Symbol.dispose]: () => void (Deno.mkdir = mkdir) });
}

Deno.test("new settings count for a function whose first bundle or runtime is being made, and none if it has gone", async () => {
  const module = "export const handler = () => Deno.env.get('VERSION');";
  const versionOf = (version: string) => ({
    one: { module: "one.ts", environment: { VERSION: version } },
  });
  const gone = { two: { module: "one.ts" } };
  for (
    const [bundling, isRuntimeSlow, functions, expected] of [
      ["when invoked", false, versionOf("new"), '"new"'],
      ["when invoked", true, versionOf("new"), '"new"'],
      ["later", true, versionOf("new"), '"new"'],
      ["when invoked", true, gone, 'Cannot invoke "one": there is no such function'],
    ] as const
  ) {
    const saved = Promise.withResolvers<void>();
    using _code = holdRuntime(isRuntimeSlow ? saved.promise : Promise.resolve());
    await using app = await makeApp({ "one.ts": module }, versionOf("old"));
    const application = await app.read();
    await using host = await SandboxHost.open({
      application,
      manifestPath: app.manifest,
      bundles: isRuntimeSlow ? bundles : undefined, // The shared one is fast.
      bundling,
      log() {},
    });
    const invoke = (name: string) =>
      host.invoke(name, new Uint8Array([123, 125])).then(
        ({ payload }) => new TextDecoder().decode(payload),
        ({ message }) => message,
      );
    const first = invoke("one");
    await new Promise((resolve) => setTimeout(resolve, 50)); // The bundle has begun.
    await Deno.writeTextFile(
      app.manifest,
      JSON.stringify({ name: "test", stage: "v0", functions }),
    );
    await host.reload(await app.read());
    saved.resolve();
    await first;
    await Promise.all(Object.keys(functions).map(invoke)); // The runtime is there.
    assertEquals(await invoke("one"), expected);
  }
});

Deno.test("invocations that wait for a runtime have one bundle", async () => {
  const bundled = Promise.withResolvers<void>();
  using code = holdRuntime(bundled.promise);
  await using app = await startApp("export const handler = () => 1;", {}, {
    bundling: "when invoked",
  });
  const answers = [1, 2, 3].map(() => app.invoke());
  await until("the code", () => code.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 300)); // A second bundle would come meanwhile.
  bundled.resolve();
  assertEquals((await Promise.all(answers)).map(({ json }) => json), [1, 1, 1]);
  assertEquals(code.length, 1, code.join());
});

Deno.test("SandboxHost.open() fails with the error of the isolation", async () => {
  await using app = await makeApp({ "one.ts": "export const handler = () => 1;" }, {
    one: { module: "one.ts" },
  });
  const application = await app.read();
  const options = { application, manifestPath: app.manifest, bundling: "later", log() {} } as const;
  const refused = Promise.reject(new Error("no isolation here"));
  await assertRejects(() => SandboxHost.open(options, refused), Error, "no isolation here");
});
