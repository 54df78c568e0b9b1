import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "./_url.ts";

const PROGRAM = fromFileUrl(new URL("main.ts", import.meta.url));
const ROOT = new URL("../../", import.meta.url);

async function run(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", PROGRAM, ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

for (
  const [args, status, message] of [
    [
      ["app.json", "--arch", "x86"],
      2,
      /^Cannot bundle: "x86" is no architecture: choose x86_64, arm64 or both\n/,
    ],
    [[], 2, /^Cannot bundle: the manifest is missing: name it, such as app\.json\n/],
    [["--arch=arm64"], 2, /^Cannot bundle: the manifest is missing/],
    [["--bogus"], 2, /^Cannot bundle: Unknown option '--bogus'/],
    [["a.json", "b.json"], 2, /^Cannot bundle: "b\.json" is one argument too many\n/],
    [["app.json", "--out", ""], 2, /^Cannot bundle: "--out" is empty\n/],
    [["/nowhere.json"], 1, /^Cannot read the manifest "\/nowhere\.json": there is no such file\n$/],
    [["deno.json"], 1, /^Cannot use the manifest "deno\.json": /],
    [["README.md"], 1, /^Cannot read the manifest "README\.md": /],
  ] as const
) {
  Deno.test(`the command refuses ${args.join(" ")}`, async () => {
    const { code, stdout, stderr } = await run(...args);
    assertEquals([code, stdout], [status, ""]);
    assertMatch(stderr, message);
  });
}

Deno.test("the command tells how to use it", async () => {
  const { code, stdout } = await run("--help");
  assertEquals(code, 0);
  assertMatch(stdout, /^Usage: bundle \[OPTIONS\] MANIFEST$/m);
});

Deno.test("the repository's task bundles the example where no manifest is named", async () => {
  const program = fromFileUrl(new URL("../../scripts/bundle.ts", import.meta.url));
  const folder = await Deno.makeTempDir();
  try {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program],
      cwd: folder, // which has no such file
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 1);
    assertMatch(new TextDecoder().decode(stderr), /"examples\/app\.json": there is no such file/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
