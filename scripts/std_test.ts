import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import config from "../.ci/deno.json" with { type: "json" };
import { run, temporaryFolder } from "../testdata/programs.ts";
import { offlineFlags } from "./std.ts";

const root = new URL("../", import.meta.url);

async function* sourcesBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (/^(\.|(node_modules|npm|dist|coverage|site)$)/.test(name)) continue;
    if (isDirectory) yield* sourcesBelow(new URL(`${name}/`, folder));
    else if (/\.(ts|md)$/.test(name)) yield new URL(name, folder);
  }
}

Deno.test("offlineFlags() keep every npm package, and map every @std module that is imported", async () => {
  const [noLock, importMap] = offlineFlags();
  assertEquals([noLock, /\s/.test(importMap!)], ["--no-lock", false]);
  const file = importMap!.slice("--import-map=".length);
  const map: Record<string, string> = JSON.parse(await Deno.readTextFile(file)).imports;
  for (const [name, target] of Object.entries(config.imports)) {
    if (target.startsWith("npm:")) assertEquals(map[name], target);
  }
  for await (const file of sourcesBelow(root)) {
    const text = await Deno.readTextFile(file);
    for (const [, name] of text.matchAll(/from "(@std\/[\w/-]+)"/g)) {
      const target = map[name!];
      assertEquals(typeof target, "string", `${name} has no stand-in`);
      assertEquals((await Deno.stat(new URL(target!))).isFile, true);
    }
  }
});

Deno.test("std.ts prints flags that run a test, with stand-ins unless the registry answers with success", async () => {
  for (const [status, isReachable] of [[200, true], [404, false], [503, false]] as const) {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("{}", { status }),
    );
    const url = `http://127.0.0.1:${server.addr.port}/`;
    const { code, stdout, stderr } = await deno(["run", "-A", "scripts/std.ts"], url);
    assertEquals([code, stdout.includes("--import-map")], [0, !isReachable], stderr);
    if (isReachable) assertEquals(stderr, "");
    else assertStringIncludes(stderr, `${url} cannot be reached`);
  }
  const closed = "http://127.0.0.1:1/";
  const { stdout } = await deno(["run", "-A", "scripts/std.ts"], closed);
  const args = ["test", "--no-check", ...stdout.trim().split(" "), "function/read_test.ts"];
  const { code, stderr } = await deno(args, closed);
  assertEquals(code, 0, stderr);
});

Deno.test("a test that never ends fails at its limit, and the failure names its place", async () => {
  const file = `${temporaryFolder()}/endless_test.ts`;
  await Deno.writeTextFile(
    file,
    `const wait = () => new Promise((resolve) => setTimeout(resolve, 2 ** 30));
Deno.test("first", wait);
Deno.test({ name: "second", timeout: 1 }, wait);
Deno.test(async function third(t) { await t.step("step", wait); });
Deno.test("fourth", { timeout: 600_000 }, () => {});`,
  );
  const limit = await Deno.readTextFile(new URL("scripts/time_limit.ts", root));
  const preload = `${temporaryFolder()}/time_limit.ts`;
  await Deno.writeTextFile(preload, limit.replace("LIMIT = 600_000", "LIMIT = 50"));
  const { code, stdout } = await deno(
    ["test", "--no-check", `--preload=${preload}`, file],
    "http://127.0.0.1:1/",
  );
  assertEquals(code, 1, stdout);
  for (const [name, ms, line] of [["first", 50, 2], ["second", 1, 3], ["third", 50, 4]] as const) {
    assertMatch(
      stdout,
      new RegExp(`\n${name} => \\S+endless_test.ts:${line}:6\nerror: Test timed out after ${ms}ms`),
    );
  }
  assertStringIncludes(stdout, "1 passed | 3 failed");
});

function deno(args: string[], registry: string) {
  return run(Deno.execPath(), args, { cwd: root, env: { JSR_URL: registry, NO_COLOR: "1" } });
}
