import { createTar } from "nanotar";
import { gzipSync } from "node:zlib";
import { resolveApplication } from "../application/resolve.ts";
import { checksumOf } from "../programs/downloads.ts";
import type { ProgramPackage } from "../programs/pinned_packages.ts";
import { LOCAL } from "../rules/arn.ts";
import type { Application } from "../application/types.ts";
import { readManifest } from "../manifest/manifest.ts";
import { Bundles } from "../bundle/modules/bundles.ts";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";

/** Makes an npm package like the packages with Deno. The first file is the program. */
export async function makeDenoPackage(
  files: readonly (readonly [string, string | Uint8Array])[] = [["package/deno", "deno"]],
): Promise<{ tarball: Uint8Array<ArrayBuffer>; package_: ProgramPackage }> {
  const tar = createTar(files.map(([name, data]) => ({ name, data })));
  const tarball = new Uint8Array(gzipSync(tar, { level: 0 }));
  const integrity = await checksumOf(tarball, "sha512-");
  const [, data] = files[0]!;
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
  const program = await checksumOf(bytes, "sha256-");
  const package_ = { name: "@deno/test", version: "1.2.3", path: "deno", integrity, program };
  return { tarball, package_ };
}

/** The folder of all applications of the tests of one module. */
export const parent: string = temporaryFolder();
Deno.chmodSync(parent, 0o755); // Functions may run as another user, who enters the folder of a test that allows it.

/**
 * The bundles of the applications without a configuration. They have one bundler, because the start of one takes longer than a
 * bundle. It names sources relative to {@linkcode parent}.
 */
export const bundles: Bundles = new Bundles({ folder: parent, quiet: 0 });

/** The minified {@linkcode bundles}. */
export const minified: Bundles = new Bundles({ folder: parent, quiet: 0, isMinified: true });

interface TestApp extends AsyncDisposable {
  readonly folder: string;
  /** The path of the manifest. */
  readonly manifest: string;
  /** Reads the application. */
  readonly read: () => Promise<Application>;
}

/** Writes an application to a new folder. */
export async function makeApp(
  modules: Readonly<Record<string, string>>,
  functions: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<TestApp> {
  const folder = await Deno.makeTempDir({ dir: parent });
  for (const [path, code] of Object.entries(modules)) {
    const file = `${folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, code);
  }
  const manifest = `${folder}/app.json`;
  const text = JSON.stringify({ name: "test", stage: "v0", functions, ...settings });
  await Deno.writeTextFile(manifest, text);
  return {
    folder,
    manifest,
    read: async () => resolveApplication(await readManifest(manifest), LOCAL),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Starts a server on a free port of the loopback interface. Its end does not wait for answers that are not ready. */
export function serve(
  answer: (request: Request) => Response | Promise<Response>,
): AsyncDisposable & { readonly url: string } {
  const controller = new AbortController();
  const { signal } = controller;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", signal, onListen() {} }, answer);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await server.finished;
    },
  };
}

/** Imports each module. Prints what each has logged, and its error, as JSON. */
const IMPORTER = `const { log } = console;
  const results = [];
  for (const file of Deno.args) {
    const lines = [];
    console.log = (...values) =>
      lines.push(values.map((one) => typeof one === "string" ? one : Deno.inspect(one)).join(" "));
    const error = await import("file://" + file).then(() => "", String);
    results.push([lines.join("\\n"), error]);
  }
  log(JSON.stringify(results));`;

/** Imports modules in one process of Deno. Returns what each has logged, and its error or an empty text. */
export async function importAll(
  files: readonly string[],
  cwd?: string,
): Promise<(readonly [output: string, error: string])[]> {
  const args = ["eval", "--quiet", "--no-lock", IMPORTER, ...files];
  return JSON.parse(await succeed(Deno.execPath(), args, cwd === undefined ? {} : { cwd }));
}
