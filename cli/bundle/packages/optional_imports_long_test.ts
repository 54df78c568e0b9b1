import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { succeed } from "../../../testdata/programs.ts";
import { makeApp } from "../../testdata/bundle.ts";
import { bundleModule } from "../modules/module_bundle.ts";

/** Makes a Node.js project with packages of npm. */
async function makeProject(packages: Record<string, string>, modules: Record<string, string>) {
  const metadata = JSON.stringify({ type: "module", dependencies: packages });
  const app = await makeApp({ ...modules, "package.json": metadata }, {});
  await succeed(Deno.execPath(), ["install", "--quiet", "--no-lock"], { cwd: app.folder });
  return app;
}

Deno.test("a package of npm that finds its native add-on is an error, unless it works without the add-on", async () => {
  const packages = {
    bcrypt: "6.0.0",
    bufferutil: "4.0.9", // has JavaScript beside its add-on
    secp256k1: "5.0.1", // has another module beside the module with its add-on
    sharp: "0.35.5", // uses `createRequire()`
    "sharp-0.34": "npm:sharp@0.34.5", // tries several paths of its add-on
    ws: "8.18.3", // uses "bufferutil"
  };
  const modules = Object.fromEntries(
    Object.keys(packages).map((name) => [
      `${name}.js`,
      `import it from "${name}"; console.log(typeof it);`,
    ]),
  );
  await using app = await makeProject(packages, modules);
  for (
    const [module, name, place] of [
      ["bcrypt", "bcrypt", "bcrypt.js:2:26"],
      ["sharp", "sharp", "dist/sharp.mjs:25:11"],
      ["sharp-0.34", "sharp", "lib/sharp.js:26:13"],
    ]
  ) {
    const error = await assertRejects(() => bundleModule(`${app.folder}/${module}.js`), Error);
    const text = `: Cannot bundle the native add-on of the package "${name}": .*\n    at .*`;
    assertMatch(error.message, new RegExp(`${text}/node_modules/${name}/${place}$`));
  }
  for (
    const [name, type] of [["bufferutil", "object"], ["secp256k1", "object"], ["ws", "function"]]
  ) {
    const { code } = await bundleModule(`${app.folder}/${name}.js`);
    await Deno.writeTextFile(`${app.folder}/index.js`, code);
    const output = await succeed(Deno.execPath(), ["run", "-A", `${app.folder}/index.js`]);
    assertEquals(output, `${type}\n`, name);
  }
});

Deno.test("a bundle of many packages in Deno's cache treats native add-ons and packages for other systems alike", async () => {
  await using app = await makeApp({
    "deno.json": "{}",
    "bcrypt.ts": `import it from "npm:bcrypt@6.0.0"; console.log(it);`,
    "sharp.ts": `import it from "npm:sharp@0.34.5"; console.log(it);`, // names packages for all systems
    "secp256k1.ts": `import it from "npm:secp256k1@5.0.1"; console.log(typeof it);`,
    "chokidar.ts": `import it from "npm:chokidar@3.6.0"; console.log(typeof it);`, // tries "fsevents"
  }, {});
  for (
    const [name, place] of [
      ["bcrypt", "bcrypt@6.0.0/bcrypt.js:2:26"],
      ["sharp", "sharp@0.34.5/lib/sharp.js:26:13"],
    ]
  ) {
    const error = await assertRejects(() => bundleModule(`${app.folder}/${name}.ts`), Error);
    assertMatch(error.message, new RegExp(`of the package "${name}": .*\n {4}at .*${place}$`));
  }
  for (
    const [name, target] of [
      ["secp256k1", "deno"], // Node.js would load its add-on
      ["chokidar", "deno"],
      ["chokidar", "nodejs24.x"],
    ] as const
  ) {
    const { code } = await bundleModule(`${app.folder}/${name}.ts`, { target });
    await Deno.writeTextFile(`${app.folder}/index.mjs`, code);
    const output = await succeed(Deno.execPath(), ["run", "-A", `${app.folder}/index.mjs`]);
    assertEquals(output, "object\n", name);
  }
});
