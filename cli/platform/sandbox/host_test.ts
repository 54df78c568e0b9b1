import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { findProgram } from "../isolation/program.ts";
import { type Isolation, plainFolders } from "../isolation/isolation.ts";
import { parseManifest } from "../../manifest/manifest.ts";
import { hasNamespace, isolation, withApp } from "../../testdata/sandbox.ts";
import { openSandboxHost } from "./host.ts";

Deno.test("a cold start reports its init phase, a warm one does not, and both go to one process", async () => {
  await withApp(
    `console.log("init"); let count = 0;
    export const handler = (event, context) => {
      console.log("one\\ntwo"); console.error("three");
      return { event, count: ++count, id: context.awsRequestId, pid: Deno.pid };
    };`,
    async ({ invoke, log }) => {
      const first = await invoke({ a: 1 }, { requestId: "id-1" });
      const { pid } = first.json as { pid: number };
      assertEquals(first.json, { event: { a: 1 }, count: 1, id: "id-1", pid });
      assertEquals(first.requestId, "id-1");
      assertEquals(first.failure, undefined);
      assertEquals(first.logTail, log.map((line) => `${line}\n`).join(""));
      const [init, start, ...rest] = log.splice(0);
      assertMatch(init!, /\t\tINFO\tinit$/);
      assertEquals(start, "START RequestId: id-1 Version: $LATEST");
      assertMatch(rest[0]!, /\tid-1\tINFO\tone\rtwo$/);
      assertMatch(rest[1]!, /\tid-1\tERROR\tthree$/);
      assertEquals(rest[2], "END RequestId: id-1");
      assertMatch(
        rest[3]!,
        /^REPORT RequestId: id-1\tDuration: [\d.]+ ms\tBilled Duration: \d+ ms\tMemory Size: 128 MB\tMax Memory Used: [1-9]\d* MB\tInit Duration: [\d.]+ ms\t$/,
      );
      const second = await invoke({ a: 2 });
      assertEquals(second.json, {
        event: { a: 2 },
        count: 2,
        id: second.requestId,
        pid,
      });
      assertMatch(second.requestId, /^[0-9a-f-]{36}$/);
      assertEquals(/Init Duration|init/.test(second.logTail), false);
    },
  );
});

Deno.test("a function has only Lambda's environment variables and its own", async () => {
  await withApp(
    `export const handler = () => Deno.env.toObject();`,
    async ({ invoke }) => {
      const environment = (await invoke()).json as Record<string, string>;
      const ofTheStart = ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "HOME"];
      const ofTheShell = ["OLDPWD", "PWD", "SHLVL", "_"];
      const names = Object.keys(environment).filter((name) =>
        ![...ofTheStart, ...ofTheShell].includes(name)
      );
      assertEquals(names.sort(), [
        "AWS_DEFAULT_REGION",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
        "AWS_LAMBDA_FUNCTION_NAME",
        "AWS_LAMBDA_FUNCTION_VERSION",
        "AWS_LAMBDA_INITIALIZATION_TYPE",
        "AWS_LAMBDA_LOG_GROUP_NAME",
        "AWS_LAMBDA_LOG_STREAM_NAME",
        "AWS_LAMBDA_RUNTIME_API",
        "AWS_REGION",
        "LAMBDA_RUNTIME_DIR",
        "LAMBDA_TASK_ROOT",
        "LANG",
        "LD_LIBRARY_PATH",
        "MINE",
        "PATH",
        "TZ",
        "_HANDLER",
        "_X_AMZN_TRACE_ID",
      ]);
      assertEquals(environment.MINE, "$HOME 'x'");
      assertEquals(environment.TZ, "Europe/Paris");
      assertEquals(environment.AWS_LAMBDA_FUNCTION_NAME, "one");
      assertEquals(environment.AWS_LAMBDA_FUNCTION_MEMORY_SIZE, "256");
      assertEquals(environment.HOME, "/tmp", "the bootstrap sets it");
      assertMatch(
        environment.AWS_LAMBDA_LOG_STREAM_NAME!,
        /^\d{4}\/\d\d\/\d\d\/\[\$LATEST\][0-9a-f]{32}$/,
      );
    },
    {
      memory: 256,
      environment: { MINE: "$HOME 'x'", TZ: "Europe/Paris" },
    },
  );
});

Deno.test({
  name: "a function is Lambda's user, at Lambda's place, and can write to its own /tmp alone",
  ignore: !hasNamespace,
  async fn() {
    await withApp(
      `import { writeFileSync } from "node:fs";
      export const handler = ({ path }) => {
        try { writeFileSync(path, "x"); return [Deno.uid(), import.meta.url, Array.from(Deno.readDirSync("/tmp"), (e) => e.name).sort()]; }
        catch (error) { return error.name + ": " + error.message; }
      };`,
      async ({ invoke }) => {
        const [uid, url, files] = (await invoke({ path: "/tmp/mine" })).json as [
          number,
          ...unknown[],
        ];
        assertEquals([uid, url, files], [993, "file:///var/task/index.js", ["deno", "mine"]]);
        assertEquals(await Deno.stat("/tmp/mine").catch(({ name }) => name), "NotFound");
        for (const path of ["/var/task/x", "/opt/x", "/home/x"]) {
          assertMatch(
            (await invoke({ path })).json as string,
            /^NotCapable: Requires write access/,
          );
        }
      },
    );
  },
});

Deno.test("a function without a permission gets an error that names it", async () => {
  const notes: string[] = [];
  await withApp(
    `export const handler = (event) => fetch(event.url).then((response) => response.status);`,
    async ({ invoke }) => {
      await using server = Deno.serve({ port: 0, onListen() {} }, () => new Response(null));
      const { port } = server.addr;
      assertEquals((await invoke({ url: `http://127.0.0.1:${port}/` })).json, 200);
      const outcome = await invoke({ url: `http://localhost:${port}/` });
      assertEquals(outcome.failure, "error");
      const { errorType, errorMessage } = outcome.json as Record<string, string>;
      assertEquals(errorType, "NotCapable");
      assertMatch(errorMessage!, new RegExp(`^Requires net access to "localhost:${port}"`));
      assertMatch(outcome.logTail, /Status: error\tError Type: Function\.NotCapable\t\n$/);
      assertEquals(
        notes.at(-1),
        `Add "localhost:${port}" to "permissions.net" of the function "one" in the manifest`,
      );
    },
    { permissions: { net: ["127.0.0.1", "*.example.com:443"] } },
    { log: ({ functionName, text }) => functionName || notes.push(text) },
  );
});

Deno.test("a host whose functions cannot be bundled is not made, and the error names each", async () => {
  const functions = { one: { module: "one.ts" }, two: { module: "two.ts", handler: "main" } };
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/two.ts`, "export const handler = 1;");
    const error = await assertRejects(() =>
      openSandboxHost({
        manifest: parseManifest(JSON.stringify({ name: "test", stage: "v0", functions }), "x"),
        manifestPath: `${folder}/app.json`,
        log() {},
      }), Error);
    assertMatch(error.message, /"one": its module "one\.ts" is not a file in/);
    assertMatch(error.message, /"two": its module "two\.ts" does not export "main"/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an unknown function is refused by name", async () => {
  await withApp(`export const handler = () => 1;`, async ({ host }) => {
    const error = await assertRejects(() => host.invoke("two", new Uint8Array()), Error);
    assertEquals(error.message, 'Cannot invoke "two": there is no such function');
  });
});

Deno.test({
  name: "a function in plain folders can change no code, no permissions and no compiled code",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withApp(
      `export const handler = ({ path }) => {
        const full = path.replace("TASK", import.meta.dirname).replace("CACHE", Deno.env.get("DENO_DIR"));
        try { Deno.writeTextFileSync(full, ""); } catch (error) { return error.name; }
        return Deno.env.has("USER");
      };`,
      async ({ invoke }) => {
        const paths = ["TASK/x", "TASK/../two-1/index.js", "TASK/../two-1/mate/net", "CACHE/x"];
        for (const path of [...paths, "/home/x"]) {
          assertEquals((await invoke({ path })).json, "NotCapable", path);
        }
        const path = `/tmp/mate-test-${crypto.randomUUID()}`;
        assertEquals((await invoke({ path })).json, false);
        await Deno.remove(path);
      },
      {},
      { isolation: plainFolders("a test needs this") },
    );
  },
});

/** Runs a program with a host of the function `one` in a process of its own; its process id comes first. */
async function runHost(
  way: Isolation,
  program: string,
  { module, deno = Deno.execPath() }: { module: string; deno?: string },
): Promise<unknown[]> {
  const folder = await Deno.makeTempDir();
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url));
  const isolation = way.kind === "plain folders" ? `plainFolders("", "${setpriv}")` : "undefined";
  try {
    await Deno.chmod(folder, 0o755); // functions run as another user
    await Deno.writeTextFile(`${folder}/one.ts`, module);
    await Deno.writeTextFile(
      `${folder}/platform.ts`,
      `import { openSandboxHost } from ${url("host.ts")};
      import { plainFolders } from ${url("../isolation/isolation.ts")};
      import { manifestOf } from ${url("../../testdata/sandbox.ts")};
      const manifest = manifestOf({ timeout: 900 });
      const manifestPath = ${JSON.stringify(`${folder}/app.json`)};
      const isolation = ${isolation};
      await using host = await openSandboxHost({ manifest, manifestPath, isolation, log() {} });
      const invoke = (event) => host.invoke("one", new TextEncoder().encode(event));
      const print = (...values) => console.log(JSON.stringify([Deno.pid, ...values]));
      ${program}`,
    );
    const { stdout, stderr } = await new Deno.Command(deno, {
      args: ["run", "-A", "--no-lock", "--config"]
        .concat(new URL("../../../deno.json", import.meta.url).pathname, `${folder}/platform.ts`),
    }).output();
    assertMatch(new TextDecoder().decode(stdout), /./, new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const setpriv = Deno.build.os === "linux" ? await findProgram("setpriv") : undefined;
const PLAIN = plainFolders("", setpriv);

Deno.test({
  name: "functions of root run in plain folders, though Deno lies where only root may go",
  ignore: setpriv === undefined || Deno.uid() !== 0,
  async fn() {
    const folder = await Deno.makeTempDir(); // mode 0700
    try {
      const deno = `${folder}/deno`;
      await Deno.copyFile(Deno.execPath(), deno);
      await Deno.chmod(deno, 0o755);
      const program = 'print(new TextDecoder().decode((await invoke("{}")).payload));';
      const module = "export const handler = () => 42;";
      assertEquals((await runHost(PLAIN, program, { module, deno }))[1], "42");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

for (const way of hasNamespace ? [isolation!, PLAIN] : [PLAIN]) {
  Deno.test({
    name: `in ${way.kind}, frozen and busy processes end with the platform, even if that is killed`,
    ignore: setpriv === undefined,
    async fn() {
      const program = `
        void invoke('{"isEndless":true}');
        await invoke("{}");
        print(...host.sandboxesOf("one").map(({ pid }) => pid));
        Deno.kill(Deno.pid, "SIGKILL");`;
      const module = "export const handler = ({ isEndless }) => { while (isEndless); };";
      const [platform, ...pids] = await runHost(way, program, { module });
      for await (const { name } of Deno.readDir("/var/tmp")) { // what the killed platform left
        const isLeft = name.startsWith(`mate-${platform}-`);
        if (isLeft) await Deno.remove(`/var/tmp/${name}`, { recursive: true });
      }
      assertEquals(pids.length, 2);
      for (const pid of pids) {
        // Gone, or a zombie that nobody has waited for.
        const state = async () =>
          /^State:\t(\w)/m.exec(
            await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "State:\tX"),
          )?.[1];
        for (let tries = 0; !/[XZ]/.test(await state() ?? "") && tries < 200; tries++) {
          await new Promise((resolve) => setTimeout(resolve, 25));
        }
        assertMatch(await state() ?? "", /[XZ]/);
      }
    },
  });
}
