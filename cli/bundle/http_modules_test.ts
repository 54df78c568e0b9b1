import { assertEquals } from "@std/assert";
import cli from "../deno.json" with { type: "json" };
import library from "../../deno.json" with { type: "json" };
import { makeApp, makeDenoPackage, serve } from "../testdata/bundle.ts";
import { findProgram } from "../platform/isolation/program.ts";

const ROOT = new URL("../../", import.meta.url);
const unzip = await findProgram("unzip");
if (!unzip) console.error("NOT RUN: the tool from HTTP modules, because unzip is not installed");

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
  const imports: Record<string, string> = { ...library.imports, ...cli.imports };
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
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    env: { NO_COLOR: "1" },
  }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
  const folder = await Deno.makeTempDir();
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
    const run = async (out: string, ...flags: string[]) => {
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-config", "--no-lock", ...flags, program, app.manifest]
          .concat(`${app.folder}/${out}`, registry.url, JSON.stringify(package_)),
        cwd: app.folder,
        env: { DENO_DIR, NO_COLOR: "1" },
      }).output();
      return { code, error: new TextDecoder().decode(stderr) };
    };
    const bootstrapOf = async (out: string) => {
      const { stdout } = await new Deno.Command(unzip!, {
        args: ["-p", `${app.folder}/${out}/layer-arm64.zip`, "bootstrap"],
      }).output();
      return new TextDecoder().decode(stdout).split("\n")[0];
    };
    try {
      // Only the modules that the program imports are cached, as by an installation. Then the registry fails.
      await new Deno.Command(Deno.execPath(), {
        args: ["cache", "--no-config", "--no-lock", program],
        env: { DENO_DIR },
      }).output();
      status = 503;
      const failing = await run("failing");
      assertEquals(failing.code, 0, failing.error);
      assertEquals(await bootstrapOf("failing"), "#!/bin/sh");
      await server[Symbol.asyncDispose]();
      const offline = await run("offline", "--cached-only");
      assertEquals(offline.code, 0, offline.error);
      assertEquals(await bootstrapOf("offline"), "#!/bin/sh");
    } finally {
      await Deno.remove(DENO_DIR, { recursive: true });
    }
  },
});
