/**
 * Bundles functions with native packages of npm for both architectures, as npm has installed them, and runs those for this
 * machine. `deno task test:natives` runs this file. It takes half a minute.
 *
 * @module
 */
import { assertEquals, assertMatch } from "@std/assert";
import { ownPlatform, platformOf } from "../cli/bundle/packages/platforms.ts";
import { systemOf } from "../cli/bundle/externals/binaries.ts";
import { bundleFunctions } from "../cli/bundle/functions.ts";
import { SandboxHost } from "../cli/dev/sandbox_host/host.ts";
import { makeApp } from "../cli/testdata/bundle.ts";
import { isolation, NODE_RUNTIMES } from "../cli/testdata/sandbox.ts";
import { findProgram } from "../cli/programs/find_program.ts";
import { install } from "./packages/testdata/consumers.ts";

const PACKAGES = {
  "sharp": "0.35.5",
  "@node-rs/argon2": "2.0.2",
  "esbuild": "0.28.2",
  "better-sqlite3": "12.11.1",
};

/** The modules of the functions, and what each returns. */
const FUNCTIONS = {
  image: [
    `import sharp from "sharp";
    const create = { width: 8, height: 4, channels: 3, background: "red" };
    export const handler = async () => {
      const png = await sharp({ create }).rotate(90).png().toBuffer();
      const { format, width, height } = await sharp(png).metadata();
      return [format, width, height];
    };`,
    ["png", 4, 8],
  ],
  password: [
    `import { hash, verify } from "@node-rs/argon2";
    export const handler = async () => {
      const hashed = await hash("secret");
      return [await verify(hashed, "secret"), await verify(hashed, "other")];
    };`,
    [true, false],
  ],
  code: [
    `import { transform } from "esbuild";
    export const handler = async () => (await transform("let x: number = 1", { loader: "ts" })).code;`,
    "let x = 1;\n",
  ],
} as const;

const isReady = NODE_RUNTIMES.length > 0 && await findProgram("npm") !== undefined;
if (!isReady) console.error("NOT RUN: native packages, because Node.js or npm is missing");

Deno.test({
  name: "native packages of npm are bundled for each architecture, and work",
  timeout: 3_600_000, // It takes minutes, and more on a busy machine.
  ignore: !isReady,
  async fn() {
    const database =
      'import Database from "better-sqlite3"; export const handler = () => Database;';
    const files = { "package.json": JSON.stringify({ type: "module", dependencies: PACKAGES }) };
    const functions: Record<string, unknown> = {};
    for (const [name, [text]] of Object.entries({ ...FUNCTIONS, database: [database] })) {
      Object.assign(files, { [`${name}.mjs`]: text });
      functions[name] = { module: `${name}.mjs` };
    }
    const settings = { runtime: NODE_RUNTIMES.at(-1), defaults: { memory: 512, timeout: 30 } };
    await using app = await makeApp(files, functions, settings);
    const { folder, manifest: manifestPath } = app;
    const application = await app.read();
    await install(folder, "--ignore-scripts");

    const own = ownPlatform();
    const { database: _, ...working } = application.functions;
    await using host = await SandboxHost.open({
      application: { ...application, functions: working },
      manifestPath,
      log() {},
    }, isolation);
    for (const [name, [, expected]] of Object.entries(FUNCTIONS)) {
      const { payload, failure } = await host.invoke(name, new TextEncoder().encode("{}"));
      const result = JSON.parse(new TextDecoder().decode(payload));
      assertEquals([failure, result], [undefined, expected], name);
    }

    for (const architecture of ["x86_64", "arm64"] as const) {
      const platform = platformOf(architecture);
      const bundle = () => bundleFunctions(manifestPath, application, { platform });
      let { functions, problems } = await bundle();
      const isOther = platform.cpu !== own.cpu || platform.os !== own.os;
      assertEquals([...functions.keys()], isOther ? [] : Object.keys(FUNCTIONS));
      if (isOther) {
        const [, command] = /for linux-\w+: run "npm install ([^"]*)"/.exec(
          problems.get("image")!,
        )!;
        assertEquals(command, `--os=linux --cpu=${platform.cpu} --libc=glibc`);
        await install(folder, "--ignore-scripts", ...command!.split(" "));
        ({ functions, problems } = await bundle());
      }
      assertEquals([...functions.keys()], Object.keys(FUNCTIONS));
      const system = isOther
        ? `npm_config_platform=linux npm_config_arch=${platform.cpu} npm_config_libc=glibc `
        : "";
      assertMatch(
        problems.get("database")!,
        new RegExp(`run "${system}npm_config_target=\\d+\\.0\\.0 npm rebuild better-`),
      );
      const systems = [...functions.values()].flat().map(({ data }) => systemOf(data))
        .filter((system) => system !== undefined);
      assertEquals(systems.length >= 4, true, `${systems.length}`); // libvips, sharp, argon2, esbuild
      for (const system of systems) assertEquals<unknown>(system, { ...platform }, architecture);
    }
  },
});
