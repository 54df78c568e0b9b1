import { assertEquals, assertStringIncludes } from "@std/assert";
import config from "../deno.json" with { type: "json" };
import { isReachable, offlineFlags } from "./std.ts";

const root = new URL("../", import.meta.url);

function mapOf(flags: readonly string[]): Record<string, string> {
  const prefix = "--import-map=";
  const flag = flags.find((flag) => flag.startsWith(prefix))!;
  return JSON.parse(Deno.readTextFileSync(flag.slice(prefix.length))).imports;
}

async function* testsBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (/^(\.|node_modules$|npm$|dist$|coverage$)/.test(name)) continue;
    if (isDirectory) yield* testsBelow(new URL(`${name}/`, folder));
    else if (/\.(ts|md)$/.test(name)) yield new URL(name, folder);
  }
}

Deno.test("isReachable() is true only for a registry that answers with success", async () => {
  for (const [status, expected] of [[200, true], [404, false], [503, false]] as const) {
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response("{}", { status }),
    );
    assertEquals(await isReachable(`http://127.0.0.1:${server.addr.port}/`), expected);
  }
  assertEquals(await isReachable("http://127.0.0.1:1/"), false);
});

Deno.test("offlineFlags() keep every npm package, and map every @std module that is imported", async () => {
  const flags = offlineFlags();
  for (const flag of flags) assertEquals(/\s/.test(flag), false, `a shell splits ${flag}`);
  const map = mapOf(flags);
  for (const [name, target] of Object.entries(config.imports)) {
    if (target.startsWith("npm:")) assertEquals(map[name], target);
  }
  for await (const file of testsBelow(root)) {
    const text = await Deno.readTextFile(file);
    for (const [, name] of text.matchAll(/from "(@std\/[\w/-]+)"/g)) {
      const target = map[name!];
      assertEquals(typeof target, "string", `${name} has no stand-in`);
      assertEquals((await Deno.stat(new URL(target!))).isFile, true);
    }
  }
});

Deno.test("std.ts says on stderr that the stand-ins serve, and its flags run a test", async () => {
  const env = { JSR_URL: "http://127.0.0.1:1/" };
  const flags = await run(["run", "-A", "scripts/std.ts"], env);
  assertStringIncludes(flags.stderr, "http://127.0.0.1:1/ cannot be reached");
  const args = ["test", ...flags.stdout.trim().split(" "), "function/read_test.ts"];
  const { code, stderr } = await run(args, env);
  assertEquals(code, 0, stderr);
});

Deno.test("std.ts prints no flag if the registry answers", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({}),
  );
  const { code, stdout, stderr } = await run(["run", "-A", "scripts/std.ts"], {
    JSR_URL: `http://127.0.0.1:${server.addr.port}/`,
  });
  assertEquals({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
});

async function run(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
