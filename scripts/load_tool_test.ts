import { assertEquals, assertMatch } from "@std/assert";
import lock from "../cli/packages.lock.json" with { type: "json" };
import { run, temporaryFolder } from "../testdata/programs.ts";

const nameOf = (version: string) => /^@?[^@]+/.exec(version)![0];
/** The packages of the tool, and esbuild for each kind of machine. */
const NAMES = new Set(Object.keys(lock.npm).map(nameOf));

Deno.test("deno task example asks for the packages of the tool alone, and says in one line why it cannot load them", async () => {
  const asked = new Set<string>();
  await using registry = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ url }) => {
      asked.add(
        decodeURIComponent(new URL(url).pathname.slice(1)).split("/-/")[0]!,
      );
      return new Response("no", { status: 403 });
    },
  );
  const url = `http://127.0.0.1:${registry.addr.port}/`;
  const { code, stdout, stderr } = await run(Deno.execPath(), [
    "task",
    "example",
    "--help",
  ], {
    cwd: new URL("../", import.meta.url),
    env: {
      DENO_DIR: temporaryFolder(),
      NPM_CONFIG_REGISTRY: url,
      NO_COLOR: "1",
    },
  });
  assertEquals([code, stdout], [1, ""]);
  const [, progress, problem, ...more] = stderr.trim().split("\n"); // the first line is the task
  assertEquals(more, []);
  assertMatch(progress!, /^Loading the packages of the tool:/);
  assertMatch(
    problem!,
    /^Error: Cannot load the packages of the tool: the server answers 403; /,
  );
  assertEquals([...asked].filter((name) => !NAMES.has(name)), []);
  assertEquals(asked.size > 0, true);
});

Deno.test("the tool loads at most 60 packages", () => {
  const versions = Object.keys(lock.npm).filter((version) => !version.startsWith("@esbuild/"));
  assertEquals(
    versions.length + 1 <= 60,
    true,
    `${versions.length} packages, and one of esbuild`,
  );
});

Deno.test("deno task example says in one line what to do if the proxy asks for a login", async () => {
  const answer = "HTTP/1.1 407 Login\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n";
  const proxy = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const serving = (async () => {
    for await (const connection of proxy) {
      await connection.read(new Uint8Array(4096));
      await connection.write(new TextEncoder().encode(answer)).catch(() => {}); // Deno may be gone.
      connection.close();
    }
  })();
  const { code, stdout, stderr } = await run(Deno.execPath(), ["task", "example", "--help"], {
    cwd: new URL("../", import.meta.url),
    env: {
      DENO_DIR: temporaryFolder(),
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.addr as Deno.NetAddr).port}`,
      NPM_CONFIG_REGISTRY: "https://registry.example",
      NO_COLOR: "1",
    },
  });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(
    stderr.trim().split("\n").at(-1)!,
    /^Error: Cannot load .*: the proxy asks for a login, which HTTPS_PROXY can have: http:/,
  );
  proxy.close();
  await serving;
});
