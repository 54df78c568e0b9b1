import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { bundles, importAll, makeApp } from "../../testdata/bundle.ts";
import { Bundles } from "../modules/bundles.ts";

/** Packages that load add-ons, or that try to. The long tests have the real packages. */
const PACKAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "node-gyp-build": { "index.js": "module.exports = () => { throw new Error('no add-on'); };" },
  // like "bcrypt"
  needs: {
    "index.js": `const path = require("path");
module.exports = require("node-gyp-build")(path.resolve(__dirname));`,
  },
  // like "sharp"
  creates: {
    "index.mjs": `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
export default require(\`./build/it-\${process.arch}.node\`);`,
  },
  // like an older "sharp"
  computes: {
    "index.js": `for (const path of ["./build/it.node", "other/it.node"]) {
  try { exports.it = require(path); } catch {}
}
if (!exports.it) throw new Error("no add-on");`,
  },
  // like "bufferutil"
  catches: {
    "index.js": `try { module.exports = require("node-gyp-build")(__dirname); }
      catch { module.exports = require("./fallback.js"); }`,
    "fallback.js": "module.exports = {};",
  },
  // like "secp256k1"
  chooses: {
    "index.js": `try { module.exports = require("./bindings.js"); }
      catch { module.exports = require("./plain.js"); }`,
    "bindings.js": `module.exports = require("node-gyp-build")(__dirname);`,
    "plain.js": "module.exports = {};",
  },
  // like "ws"
  tries: {
    "index.js": `let mask; try { mask = require("catches"); } catch {}
      try { mask = require("not-installed"); } catch {}
      exports.WebSocket = class {};`,
  },
};

const NAMES = Object.keys(PACKAGES);

/** The project of Node.js with these packages and a module for each. It has one bundler, because the start of one takes longer than a bundle. */
const project = await makeApp({
  "package.json": JSON.stringify({
    type: "module",
    dependencies: Object.fromEntries(NAMES.map((name) => [name, "1.0.0"])),
  }),
  ...Object.fromEntries(
    Object.entries(PACKAGES).flatMap(([name, files]) => [
      [`${name}.js`, `import it from "${name}"; console.log(typeof it);`],
      [
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, version: "1.0.0", exports: `./${Object.keys(files)[0]}` }),
      ],
      ...Object.entries(files).map(([file, text]) => [`node_modules/${name}/${file}`, text]),
    ]),
  ),
  "package.js": `import { WebSocket } from "tries"; console.log(typeof WebSocket);`,
  "own.js": `let name = "";
    try { name += await import("not-installed"); } catch { name += "a"; }
    try { await import("./gone.js"); } catch { name += "b"; }
    await import("./gone.ts").catch(() => name += "c");
    console.log(name);`,
  "not-caught.js": `await import("not-installed");`,
  "elsewhere.js": `import "./gone.js"; try { f(); } catch {}`,
  "in-function.js": `const f = () => import("tries/none"); try { f(); } catch {}`,
}, {});
const ofProject = new Bundles({ folder: project.folder, quiet: 0 });

/** Bundles a module of an application, by default of the project. */
async function bundle(name: string, { folder } = project, bundles = ofProject): Promise<string> {
  const [bundle] = await bundles.take([`${folder}/${name}`]);
  if (bundle instanceof Error) throw bundle;
  return bundle!.code;
}

Deno.test("a bundle leaves an import of a missing module as it is if the failure is caught", async () => {
  const files: string[] = [];
  const { folder } = project;
  for (const name of ["package", "own"]) {
    await Deno.writeTextFile(`${folder}/${name}-bundle.js`, await bundle(`${name}.js`));
    files.push(`${folder}/${name}.js`, `${folder}/${name}-bundle.js`);
  }
  const outputs = ["function", "function", "abc", "abc"].map((output) => [output, ""] as const);
  assertEquals(await importAll(files, folder), outputs);
  for (
    const [name, message] of [
      [
        "not-caught",
        /^Import "not-installed" not a dependency: run "npm install not-installed"/,
      ],
      ["elsewhere", /^Module not found ".*gone\.js"\n {4}at .*:1:8$/],
      ["in-function", /"tries\/none"|'.\/none'/],
    ] as const
  ) {
    const error = await assertRejects(() => bundle(`${name}.js`), Error);
    assertMatch(error.message, message);
  }
});

Deno.test("a package that finds its native add-on is an error, unless it works without the add-on", async () => {
  for (
    const [name, place] of [["needs", "js:2:26"], ["creates", "mjs:3:16"], ["computes", "js:2:22"]]
  ) {
    const error = await assertRejects(() => bundle(`${name}.js`), Error);
    const text = `^Cannot bundle the native add-on of the package "${name}": .*\n    at `;
    assertMatch(error.message, new RegExp(`${text}node_modules/${name}/index.${place}$`));
  }
  const files: string[] = [];
  for (const name of ["catches", "chooses", "tries"]) {
    files.push(`${project.folder}/${name}-bundle.js`);
    await Deno.writeTextFile(files.at(-1)!, await bundle(`${name}.js`));
  }
  assertEquals(await importAll(files), files.map(() => ["object", ""] as const));
});

Deno.test("a bundle of packages in Deno's cache treats native add-ons and packages for other systems alike", async () => {
  await using app = await makeApp({
    "bcrypt.ts": `import it from "npm:bcrypt@6.0.0"; console.log(it);`,
    "chokidar.ts": `import it from "npm:chokidar@3.6.0"; console.log(typeof it);`, // tries "fsevents"
  }, {});
  const error = await assertRejects(() => bundle("bcrypt.ts", app, bundles), Error);
  assertMatch(
    error.message,
    /of the package "bcrypt": .*\n {4}at .*bcrypt@6\.0\.0\/bcrypt\.js:2:26$/,
  );
  const code = await bundle("chokidar.ts", app, bundles);
  await Deno.writeTextFile(`${app.folder}/index.mjs`, code);
  assertEquals(await importAll([`${app.folder}/index.mjs`]), [["object", ""]]);
});
