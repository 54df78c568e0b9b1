import { assertEquals } from "@std/assert";
import { run, temporaryFolder } from "../../../testdata/programs.ts";
import map from "../../../.ci/deno.json" with { type: "json" };
import library from "../../../deno.json" with { type: "json" };
import { makeApp, makeDenoPackage, serve } from "../../testdata/bundle.ts";
import { findProgram } from "../../programs/find_program.ts";

const ROOT = new URL("../../../", import.meta.url);
const unzip = await findProgram("unzip");
if (!unzip) console.error("NOT RUN: the tool from HTTP modules, because unzip is not installed");

const FLAGS = ["--no-config", "--no-lock"];

/** The program that bundles an application, as a module of the server: [manifest, out, registry, package]. */
const PROGRAM = `import { bundleApp } from "./cli/bundle/app.ts";
  const [manifest, out, registry, text] = Deno.args;
  const packages = { x86_64: JSON.parse(text), arm64: JSON.parse(text) };
  const source = { registry, cache: out + "-cache" };
  await bundleApp(manifest,
    { out, architectures: ["arm64"], hasCache: false, packages, source, warn() {} });`;

/** Serves the repository as a registry does: every import names a URL or an npm package. */
async function serveModule(url: URL): Promise<Response> {
  const file = url.pathname === "/program.ts"
    ? PROGRAM
    : await Deno.readTextFile(new URL(`.${url.pathname}`, ROOT)).catch(() => undefined);
  if (file === undefined) return new Response("Not Found", { status: 404 });
  const imports: Record<string, string> = map.imports;
  const paths: Record<string, string> = library.exports;
  const code = file.replaceAll(/(from |import |import\()"([^".][^"]*)"/g, (all, start, name) => {
    const path = paths[name.replace("@mate/core", ".")];
    const target = name.startsWith("@mate/core")
      ? path && new URL(path, url.origin)
      : imports[name];
    return target === undefined ? all : `${start}"${target}"`;
  });
  const type = url.pathname.endsWith(".json") ? "application/json" : "application/typescript";
  return new Response(code, { headers: { "content-type": type } });
}

/** A folder for Deno's cache that has the npm packages of this machine, and none of the modules. */
async function makeDenoDir(): Promise<string> {
  const { stdout } = await run(Deno.execPath(), ["info", "--json"], { env: { NO_COLOR: "1" } });
  const { denoDir } = JSON.parse(stdout);
  const folder = temporaryFolder();
  for (const name of ["npm", "dl"]) await Deno.symlink(`${denoDir}/${name}`, `${folder}/${name}`);
  return folder;
}

Deno.test({
  name: "bundleApp() runs from HTTP modules, and without a network once they are cached",
  ignore: !unzip,
  async fn() {
    const { tarball, package_ } = await makeDenoPackage();
    await using registry = serve(() => new Response(tarball));
    await using app = await makeApp({ "one.ts": "export const handler = () => 1;" }, {
      one: { module: "one.ts" },
    });
    const DENO_DIR = await makeDenoDir();
    let status = 200;
    const server = serve(({ url }) =>
      status === 200 ? serveModule(new URL(url)) : new Response("<h1>503</h1>", { status })
    );
    const program = `${server.url}/program.ts`;
    const deno = (...args: string[]) =>
      run(Deno.execPath(), args, { cwd: app.folder, env: { DENO_DIR, NO_COLOR: "1" } });
    /** Bundles into a folder, and returns the first line of the bootstrap. */
    const bundle = async (out: string, ...flags: string[]) => {
      const folder = `${app.folder}/${out}`;
      const args = [program, app.manifest, folder, registry.url, JSON.stringify(package_)];
      const { code, stderr } = await deno("run", "-A", ...FLAGS, ...flags, ...args);
      assertEquals(code, 0, stderr);
      const { stdout } = await run(unzip!, ["-p", `${folder}/layer-arm64.zip`, "bootstrap"]);
      return stdout.split("\n")[0];
    };
    // Only the modules that the program imports are cached, as by an installation. Then the registry fails.
    await deno("cache", ...FLAGS, program);
    status = 503;
    assertEquals(await bundle("failing"), "#!/bin/sh");
    await server[Symbol.asyncDispose]();
    assertEquals(await bundle("offline", "--cached-only"), "#!/bin/sh");
  },
});
