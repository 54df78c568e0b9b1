import { assertEquals, assertMatch } from "@std/assert";
import { dirname } from "node:path";
import { Bundler } from "../../cli/bundle/bundler/bundler.ts";
import { confine } from "../../cli/lambda/isolation/confinement.ts";
import { findProgram } from "../../cli/programs/find_program.ts";
import { makeApp, makeDenoPackage, serve } from "../../cli/testdata/bundle.ts";
import { mate } from "../../cli/testdata/command.ts";
import { hasNamespace, NODE_RUNTIMES } from "../../cli/testdata/sandbox.ts";
import { run, succeed, temporaryFolder } from "../../testdata/programs.ts";

/** What a package imports. `HOME` stands for the folder of the developer. */
const IMPORTS = [
  'import secret from "HOME/.aws/credentials" with { type: "text" };',
  'import secret from "../../../.aws/credentials" with { type: "text" };',
  'import secret from "file://HOME/.aws/credentials" with { type: "text" };',
  'import secret from "../../.env" with { type: "text" };',
  'import secret from "HOME/keys.json" with { type: "json" };',
  'import secret from "./link.json" with { type: "json" };',
  'import * as secret from "../../state.json" with { type: "json" };',
];

Deno.test("no package carries a secret of the developer into a zip", async () => {
  await using home = await makeApp({
    ".aws/credentials": "aws_secret_access_key = SECRET",
    "keys.json": '{ "key": "SECRET" }',
    "app/.env": "KEY=SECRET",
    "app/state.json": '{ "key": "SECRET" }',
    "app/package.json": '{ "dependencies": { "evil": "1.0.0" } }',
    "app/one.ts": 'import secret from "evil"; export const handler = () => secret;',
    "app/node_modules/evil/package.json": '{ "name": "evil", "main": "index.mjs" }',
    "app/node_modules/evil/own.json": "1",
    "app/app.json": JSON.stringify({
      name: "app",
      stage: "v0",
      functions: { one: { module: "one.ts" } },
    }),
  }, {});
  const app = `${home.folder}/app`;
  const evil = `${app}/node_modules/evil`;
  await Deno.symlink(`${home.folder}/keys.json`, `${evil}/link.json`);
  const write = (code: string) =>
    Deno.writeTextFile(
      `${evil}/index.mjs`,
      `${code.replaceAll("HOME", home.folder)}\nexport default secret;`,
    );
  for (const code of IMPORTS) {
    await write(code);
    const { code: status, stdout, stderr } = await mate([
      ...["bundle", `${app}/app.json`, "--out", `${app}/dist`],
    ]);
    assertEquals(status, 1, code);
    assertMatch(stderr, /^Error: Cannot bundle the function "one": /, code);
    assertEquals((stdout + stderr).includes("SECRET"), false, code);
    const zips = await Array.fromAsync(Deno.readDir(`${app}/dist`), ({ name }) => name)
      .catch(() => []);
    assertEquals(zips.filter((name) => name.endsWith(".zip")), [], code);
  }
  await write('import secret from "./own.json" with { type: "json" };');
  const own = await mate(["invoke", "one", `${app}/app.json`]);
  assertEquals(own.stdout, "1\n", `a package may import its own files ${own.stderr}`);
});

Deno.test("no link of a configuration makes the home of the developer a part of the application", async () => {
  await using home = await makeApp({
    ".aws/credentials": "aws_secret_access_key = SECRET",
    "package.json": "{}",
    "core/deno.json": "{}",
    "core/key.txt": "OPEN",
    "app/one.ts": "",
    "app/app.json": JSON.stringify({
      name: "app",
      stage: "v0",
      functions: { one: { module: "one.ts" } },
    }),
  }, {});
  const app = `${home.folder}/app`;
  await Deno.symlink("..", `${app}/up`);
  const caches = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  const invoke = async (link: string, file: string) => {
    await Deno.writeTextFile(`${app}/deno.json`, JSON.stringify({ links: [link] }));
    const code = `import text from ${JSON.stringify(file)} with { type: "text" };`;
    await Deno.writeTextFile(`${app}/one.ts`, `${code} export const handler = () => text;`);
    const env = { HOME: home.folder, XDG_CACHE_HOME: caches };
    return await mate(["invoke", "one"], { cwd: app, env });
  };
  for (const link of ["..", "../..", "/", "./up", "../.aws"]) {
    const { code, stdout, stderr } = await invoke(link, "../.aws/credentials");
    assertMatch(stderr, /Cannot use ".*" in "links" of ".*\/app\/deno\.json": /, link);
    assertEquals([code, stdout, stderr.includes("SECRET")], [1, "", false], link);
  }
  const { stdout, stderr } = await invoke("../core", "../core/key.txt");
  assertEquals(stdout, '"OPEN"\n', stderr);
  assertEquals(
    stderr.match(/"links" of deno\.json adds the folder ".*\/core"/g)?.length,
    1,
    stderr,
  );
});

Deno.test("no .npmrc of an application sends a token to a registry that the developer does not name", async () => {
  const keys: (string | null)[] = [];
  const paths: string[] = [];
  await using registry = serve((request) => {
    keys.push(request.headers.get("authorization"));
    paths.push(new URL(request.url).pathname);
    return new Response("none", { status: 404 });
  });
  const host = new URL(registry.url).host;
  const token = `//${host}/:_authToken=\${NPM_TOKEN}\n`;
  await using home = await makeApp({
    "app/deno.json": "{}",
    "app/one.ts": 'import "npm:@private/thing@1.0.0"; export const handler = () => 1;',
    "app/app.json": JSON.stringify({
      name: "app",
      stage: "v0",
      functions: { one: { module: "one.ts" } },
    }),
  }, {});
  const app = `${home.folder}/app`;
  const caches = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  const invoke = async (npmrc: string) => {
    await Deno.writeTextFile(`${app}/.npmrc`, npmrc);
    const env = { HOME: home.folder, XDG_CACHE_HOME: caches, NPM_TOKEN: "SECRET" };
    return (await mate(["invoke", "one"], { cwd: app, env })).stderr;
  };
  const scope = `@private:registry=${registry.url}/`;
  for (const npmrc of [`${scope}\n${token}`, `${scope}\${NPM_TOKEN}/\n`]) {
    assertMatch(await invoke(npmrc), /Cannot use ".*\/app\/\.npmrc": line \d /);
    assertEquals([keys, paths], [[], []]);
  }
  await Deno.writeTextFile(`${home.folder}/.npmrc`, token);
  await invoke(`${scope}\n${token}`);
  assertEquals(keys[0], "Bearer SECRET", "the developer names the registry");
});

Deno.test("the bundler runs no install script of a package, whatever deno.json says", async () => {
  const mark = `${temporaryFolder()}/mark`;
  await Deno.chmod(dirname(mark), 0o777);
  const scripts = { preinstall: `echo ran >'${mark}'`, postinstall: `echo ran >'${mark}'` };
  const version = { name: "@evil/evil", version: "1.0.0", hasInstallScript: true, scripts };
  const { tarball, package_ } = await makeDenoPackage([
    ["package/package.json", JSON.stringify(version)],
    ["package/index.js", "module.exports = 'bundled';"],
  ]);
  await using registry = serve(({ url }) => {
    if (url.endsWith(".tgz")) return new Response(tarball);
    const dist = { tarball: `${url}.tgz`, integrity: package_.integrity };
    const versions = { "1.0.0": { ...version, dist } };
    return Response.json({ name: "@evil/evil", "dist-tags": { latest: "1.0.0" }, versions });
  });
  for (const allowScripts of [true, ["npm:@evil/evil"]]) {
    for (const nodeModulesDir of ["auto", true, "none", undefined]) {
      const imports = { evil: "npm:@evil/evil@1.0.0" };
      await using app = await makeApp({
        ".npmrc": `@evil:registry=${registry.url}/\n`,
        "deno.json": JSON.stringify({ allowScripts, nodeModulesDir, imports }),
        "one.ts": `export { default as handler } from "evil";`,
      }, {});
      const { folder } = app;
      // In a mount namespace, the scripts would not find the file.
      const open = ([path, ...args]: readonly [string, ...string[]]) =>
        Promise.resolve({ path, args });
      await using bundler = await Bundler.open({ folder, confine: open });
      assertMatch((await bundler.bundle(`${folder}/one.ts`)).code, /bundled/);
      const found = await Deno.stat(mark).then(() => "ran", () => "did not run");
      assertEquals(found, "did not run", `${allowScripts} ${nodeModulesDir}`);
    }
  }
  const { denoDir } = JSON.parse(await succeed(Deno.execPath(), ["info", "--json"]));
  await Deno.remove(`${denoDir}/npm/${new URL(registry.url).port}`, { recursive: true });
});

const isConfining = (await confine(["/bin/sh"], {})).path !== "/bin/sh";
const perl = await findProgram("perl");
if (!isConfining || !perl) {
  console.error("NOT RUN: the ways out of the bundler, without namespaces or without perl");
}

/** The ways out of a root folder that need capabilities. */
const OUT = `
mkdir "/tmp/x"; chroot "/tmp/x"; chdir ".." for 1 .. 100; chroot ".";
my $file;
open($file, "<", $ARGV[0]) and print "left: ", <$file>;
`;

Deno.test({
  name: "nothing leads a confined program out of its root folder",
  ignore: !isConfining || !perl,
  async fn() {
    const secret = temporaryFolder();
    await Deno.writeTextFile(`${secret}/file`, "SECRET");
    const attempts = `
      perl -e "$1" "$2"
      chroot / true && echo chroot
      mount -t tmpfs none /tmp && echo mount
      umount -l / && echo umount
      unshare --user --map-root-user --mount perl -e "$1" "$2"
      cat "/old$2" "/proc/1/root$2"
    `;
    const { path, args } = await confine(
      ["/bin/sh", "-c", attempts, "sh", OUT, `${secret}/file`],
      {},
    );
    assertEquals((await run(path, [...args])).stdout, "");
  },
});

for (const runtime of NODE_RUNTIMES) {
  Deno.test({
    name: `${runtime}: no package reaches the network of the machine that bundles`,
    ignore: !hasNamespace,
    async fn() {
      const requests: string[] = [];
      await using metadata = serve(({ url }) => {
        requests.push(new URL(url).pathname);
        return new Response("SECRET");
      });
      const evil = `import { execFileSync } from "node:child_process";
        import { request } from "node:http";
        const got = [];
        const url = "${metadata.url}/";
        await fetch(url + "fetch").then(() => got.push("fetch"), () => {});
        await new Promise((resolve) => request(url + "request", resolve).on("error", resolve).end());
        const code = "require('http').get('" + url + "program', () => {})";
        try { execFileSync(process.execPath, ["-e", code], { stdio: "ignore" }); } catch { /* refused */ }
        export default "imported";`;
      await using app = await makeApp({
        "one.ts": 'import text from "evil"; export const handler = () => text;',
        "package.json": '{ "dependencies": { "evil": "1.0.0" } }',
        "node_modules/evil/package.json": '{ "name": "evil", "main": "index.mjs" }',
        "node_modules/evil/index.mjs": evil,
      }, { one: { module: "one.ts", runtime } });
      const out = `${app.folder}/dist`;
      const { code, stderr } = await mate(["bundle", app.manifest, "--out", out]);
      assertEquals([code, /may not start|not known/.test(stderr)], [0, false], stderr);
      assertEquals(requests, []);
    },
  });
}
