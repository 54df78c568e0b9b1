import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, serve } from "../testdata/bundle.ts";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("main.ts", import.meta.url));
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

Deno.test("the command names the wrong argument or file", async () => {
  for (
    const [args, status, message] of [
      [
        ["app.json", "--arch", "x86"],
        2,
        /^Invalid --arch "x86": expected x86_64, arm64 or both\n/,
      ],
      [[], 2, /^The manifest is missing: expected a path such as app\.json\n/],
      [["--bogus"], 2, /^Unknown option '--bogus'/],
      [["a.json", "b.json"], 2, /^Unexpected argument "b\.json"\n/],
      [["app.json", "--out", ""], 2, /^Invalid --out "": expected a folder\n/],
      [
        ["/nowhere.json"],
        1,
        /^Cannot read the manifest "\/nowhere\.json": there is no such file\n$/,
      ],
      [["deno.json"], 1, /^Cannot use the manifest "deno\.json": /],
      [["README.md"], 1, /^Cannot read the manifest "README\.md": /],
    ] as const
  ) {
    const { code, stdout, stderr } = await run(...args);
    assertEquals([code, stdout], [status, ""], args.join(" "));
    assertMatch(stderr, message);
  }
});

Deno.test("the command prints its help", async () => {
  const { code, stdout } = await run("--help");
  assertEquals(code, 0);
  assertMatch(stdout, /^Usage: bundle \[OPTIONS\] MANIFEST$/m);
});

Deno.test("the repository's task bundles the example by default", async () => {
  const program = fileURLToPath(new URL("../../scripts/bundle.ts", import.meta.url));
  const folder = await Deno.makeTempDir();
  try {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program],
      cwd: folder, // without such a file
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 1);
    assertMatch(new TextDecoder().decode(stderr), /"examples\/app\.json": there is no such file/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test({
    name: `the command ends with the status ${status} after ${signal}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using app = await makeApp({ "one.ts": "export const handler = () => {};" }, {
        one: { module: "one.ts" },
      });
      const asked = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<Response>();
      await using server = serve(() => {
        asked.resolve();
        return answer.promise;
      });
      // A module sets the registry, because the command's own packages come from the real registry.
      await Deno.writeTextFile(
        `${app.folder}/main.ts`,
        `import { main } from ${JSON.stringify(new URL("main.ts", import.meta.url).href)};
        Deno.env.set("NPM_CONFIG_REGISTRY", "${server.url}");
        Deno.env.set("XDG_CACHE_HOME", "cache");
        Deno.exit(await main(["app.json"]));`,
      );
      const config = fileURLToPath(new URL("deno.json", ROOT));
      const child = new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--quiet", "--no-lock", `--config=${config}`, "main.ts"],
        cwd: app.folder,
        env: { NO_COLOR: "1" },
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      await asked.promise;
      child.kill(signal);
      const { code, stdout, stderr } = await child.output();
      answer.resolve(new Response());
      const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assertEquals([code, text], [status, ""]);
      assertEquals(await Deno.stat(`${app.folder}/dist`).catch((error) => error.name), "NotFound");
    },
  });
}
