import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { makeApp, serve } from "../../testdata/bundle.ts";
import { refusal } from "./access.ts";
import { Bundler } from "../bundler/bundler.ts";
import { confine } from "../../lambda/isolation/confinement.ts";

/** The secrets of a developer, beside an application that has a package. */
const FILES = {
  "home/credentials": "SECRET",
  "home/.env": "SECRET",
  "home/keys.json": '{ "key": "SECRET" }',
  "home/keys.mjs": 'export const key = "SECRET";',
  "home/keys.cjs": 'exports.key = "SECRET";',
  "app/.env": "KEY=SECRET",
  "app/.env.production": "KEY=SECRET",
  "app/state.json": '{ "key": "SECRET" }',
  "app/package.json": '{ "dependencies": { "evil": "1.0.0" } }',
  "app/node_modules/evil/package.json": '{ "name": "evil", "version": "1.0.0" }',
  "app/node_modules/evil/.env": "KEY=SECRET",
  "app/node_modules/evil/folders/1.json": "1",
};

const LINKS = {
  "app/node_modules/evil/link.json": "home/keys.json",
  "app/node_modules/evil/link.mjs": "home/keys.mjs",
  "app/node_modules/evil/folder": "home",
  "app/node_modules/linked": "home",
  "app/node_modules/evil/folders/app": "app",
  "app/link.json": "home/keys.json",
};

const import_ = (path: string, type?: string) =>
  `import * as key from "${path}"${type ? ` with { type: "${type}" }` : ""}; export default key;`;

/** What a package does to get at a secret, by the name of its file. `HOME` and `APP` stand for the paths. */
const PACKAGE_ATTACKS: readonly (readonly [string, string])[] = [
  ["index.mjs", 'import key from "HOME/credentials" with { type: "text" }; export default key;'],
  ["index.mjs", 'import key from "HOME/credentials" with { type: "bytes" }; export default key;'],
  [
    "index.mjs",
    'import key from "../../../home/credentials" with { type: "text" }; export default key;',
  ],
  [
    "index.mjs",
    'import key from "file://HOME/credentials" with { type: "text" }; export default key;',
  ],
  // A file without an end must not be read.
  ["index.mjs", import_("/dev/zero", "bytes")],
  ["index.mjs", import_(`${"../".repeat(30)}dev/zero`, "bytes")],
  ["index.cjs", `module.exports = require("${"../".repeat(30)}dev/zero");`],
  ["index.mjs", import_("HOME/keys.json", "json")],
  ["index.mjs", import_("HOME/keys.json")],
  ["index.mjs", import_("../../../home/keys.json")],
  ["index.mjs", import_("HOME/keys.mjs")],
  ["index.mjs", 'export * from "../../../home/keys.mjs";'],
  ["index.mjs", 'import key from "HOME/.env" with { type: "text" }; export default key;'],
  ["index.mjs", 'import key from "../../.env" with { type: "text" }; export default key;'],
  [
    "index.mjs",
    'import key from "../../.env.production" with { type: "text" }; export default key;',
  ],
  ["index.mjs", 'import key from "./.env" with { type: "text" }; export default key;'],
  ["index.mjs", import_("../../state.json", "json")],
  ["index.mjs", import_("APP/state.json", "json")],
  ["index.mjs", import_("./link.json", "json")],
  ["index.mjs", import_("./link.mjs")],
  ["index.mjs", import_("./folder/keys.mjs")],
  ["index.mjs", import_("linked/keys.mjs")],
  ["index.mjs", 'export default await import("HOME/keys.mjs");'],
  [
    "index.mjs",
    'export default await import("file://HOME/keys.json", { with: { type: "json" } });',
  ],
  ["index.mjs", "export default (name) => import(`../../../home/${name}.mjs`);"],
  ["index.mjs", 'export default new URL("HOME/credentials", import.meta.url);'],
  ["index.mjs", 'export default new URL("../../../home/credentials", import.meta.url);'],
  ["index.cjs", 'module.exports = require("HOME/keys.cjs");'],
  ["index.cjs", 'module.exports = require("HOME/keys.json");'],
  ["index.cjs", 'module.exports = require("../../../home/keys");'],
  ["index.cjs", 'module.exports = require("./folder/keys.json");'],
  ["index.cjs", 'module.exports = require("linked/keys.json");'],
  ["index.cjs", 'module.exports = require("../../state.json");'],
  ["index.cjs", 'module.exports = (name) => require("../../../home/" + name);'],
  ["index.cjs", 'module.exports = (name) => require("../../" + name);'],
  ["index.cjs", 'module.exports = (name) => require("../../" + name + ".json");'],
  ["index.cjs", 'module.exports = (name) => require("./folder/" + name);'],
  ["index.cjs", 'module.exports = (name) => require("./folders/" + name + ".json");'],
  ["index.mjs", "export default (name) => import(`../../${name}.json`);"],
  ["index.cjs", 'try { module.exports = require("HOME/keys.json"); } catch {}'],
  ["index.mjs", "export default 1;\n//# sourceMappingURL=HOME/keys.json"],
];

/** What the application itself must not import, and the `deno.json` of the application. */
const OWN_ATTACKS: readonly (readonly [string, Record<string, string>])[] = [
  ['import key from "HOME/credentials" with { type: "text" };', {}],
  ['import key from "./.env" with { type: "text" };', {}],
  ['import key from "./.env.production" with { type: "text" };', {}],
  ['import key from "./link.json" with { type: "json" };', {}],
  ['import * as key from "../home/keys.mjs";', {}],
  ['import * as key from "keys";', { "keys": "file://HOME/keys.mjs" }],
  ['import key from "keys/keys.json" with { type: "json" };', { "keys/": "../home/" }],
  ['import key from "env" with { type: "text" };', { "env": "./.env" }],
];

async function makeVictim(files: Readonly<Record<string, string>>) {
  const app = await makeApp({ ...FILES, ...files }, {});
  const folder = await Deno.realPath(app.folder);
  for (const [link, target] of Object.entries(LINKS)) {
    await Deno.symlink(`${folder}/${target}`, `${folder}/${link}`);
  }
  const fill = (text: string) =>
    text.replaceAll("HOME", `${folder}/home`).replaceAll("APP", `${folder}/app`);
  return { folder, fill, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Both ways of keeping the process apart: as well as this machine can, and by the permissions of Deno alone. */
const WAYS: readonly (readonly [string, typeof confine])[] = [
  ["as on this machine", confine],
  ["without a mount namespace", ([path, ...args]) => Promise.resolve({ path, args })],
];

for (const [name, way] of WAYS) {
  Deno.test(`no package gets a file of the developer into a bundle, ${name}`, async () => {
    const one = 'import * as evil from "evil"; export const handler = () => evil;';
    await using victim = await makeVictim({ "app/one.ts": one });
    const folder = `${victim.folder}/app`;
    await using bundler = await Bundler.open({ folder, confine: way });
    const evil = `${folder}/node_modules/evil`;
    for (const [main, code] of PACKAGE_ATTACKS) {
      await Deno.writeTextFile(`${evil}/package.json`, JSON.stringify({ name: "evil", main }));
      await Deno.writeTextFile(`${evil}/${main}`, victim.fill(code));
      const outcome = await bundler.bundle(`${folder}/one.ts`)
        .then(({ code, map }) => code + map, ({ message }) => message);
      assertEquals(outcome.includes("SECRET"), false, code);
      const isHarmless = /new URL|sourceMappingURL|try/.test(code);
      if (!isHarmless) {
        assertMatch(outcome, /Cannot bundle "|Module not found|Could not resolve/, code);
      }
    }
  });

  Deno.test(`the application imports no file outside of it and no .env, ${name}`, async () => {
    for (const [code, imports] of OWN_ATTACKS) {
      await using victim = await makeVictim({});
      const folder = `${victim.folder}/app`;
      await Deno.writeTextFile(
        `${folder}/one.ts`,
        victim.fill(`${code} export const handler = () => key;`),
      );
      await Deno.writeTextFile(`${folder}/deno.json`, victim.fill(JSON.stringify({ imports })));
      await using bundler = await Bundler.open({ folder, confine: way });
      const error = await assertRejects(() => bundler.bundle(`${folder}/one.ts`), Error, "", code);
      assertMatch(
        error.message,
        /^Cannot bundle ".*": (a file \.env may|it is neither)[^]*one\.ts:1:\d+$/,
        code,
      );
    }
  });

  Deno.test(`no remote module gets a file of the application into a bundle, ${name}`, async () => {
    let code = "";
    await using server = serve(() =>
      new Response(code, { headers: { "content-type": "text/javascript" } })
    );
    await using victim = await makeVictim({ "app/deno.json": "{}" });
    const folder = `${victim.folder}/app`;
    await using bundler = await Bundler.open({
      folder,
      host: new URL(server.url).host,
      confine: way,
    });
    for (
      const [index, attack] of [
        'import key from "file://APP/state.json" with { type: "json" }; export default key;',
        'import key from "file://APP/state.json" with { type: "text" }; export default key;',
        'export default await import("file://APP/state.json", { with: { type: "json" } });',
        'export default (name) => require(".APP/" + name + ".json");',
      ].entries()
    ) {
      code = victim.fill(attack);
      const one = `import key from "${server.url}/${index}.js"; export const handler = () => key;`;
      await Deno.writeTextFile(`${folder}/one.ts`, one);
      const { message } = await assertRejects(() => bundler.bundle(`${folder}/one.ts`), Error);
      // Without a mount namespace, the bundler sees more files that such a name may mean.
      const reason =
        /a package must not import files of the application|it is neither in the application/;
      assertMatch(message, reason, attack);
    }
  });
}

Deno.test("the application imports its files by computed names, and a package its own", async () => {
  await using victim = await makeVictim({
    "app/one.ts": `import evil from "evil";
      export const handler = (name) => [evil, import(\`./texts/\${name}.json\`)];`,
    "app/texts/a.json": '"the first"',
    "app/texts/more/b.json": '"the second"',
    "app/node_modules/evil/package.json": '{ "name": "evil", "main": "index.mjs" }',
    "app/node_modules/evil/index.mjs": "export default (name) => import(`./texts/${name}.json`);",
    "app/node_modules/evil/texts/c.json": '"the third"',
  });
  await using bundler = await Bundler.open({ folder: `${victim.folder}/app` });
  const { code } = await bundler.bundle(`${victim.folder}/app/one.ts`);
  assertEquals(code.match(/the (first|second|third)/g)?.sort(), [
    "the first",
    "the second",
    "the third",
  ]);
});

Deno.test("a computed import of the application opens only the files that match its pattern to packages", async () => {
  await using victim = await makeVictim({
    "app/one.ts": `import evil from "evil";
      export const handler = (name) => [evil, import(\`./texts/\${name}.json\`), import(\`./pre-\${name}.json\`)];`,
    "app/texts/a.json": '"the first"',
    "app/texts/more/.b (1).json": '"the second"',
    "app/texts/key.js": "export default 1",
    "app/texts/a.json.js": "export default 1",
    "app/pre-c.json": '"the third"',
    "app/other-c.json": '"a key"',
    "app/node_modules/evil/package.json": '{ "name": "evil", "main": "index.mjs" }',
    "app/node_modules/evil/index.mjs": "",
  });
  const bundle = async (code: string) => {
    await Deno.writeTextFile(`${victim.folder}/app/node_modules/evil/index.mjs`, code);
    await using bundler = await Bundler.open({ folder: `${victim.folder}/app` });
    return (await bundler.bundle(`${victim.folder}/app/one.ts`)).code;
  };
  const code = await bundle("export default 1;");
  assertEquals(code.match(/the (first|second|third)/g)?.length, 3);
  for (const path of ["texts/${name}.js", "texts/${name}.json.js", "other-${name}.json"]) {
    const text = `export default (name) => import(\`../../${path}\`);`;
    await assertRejects(() => bundle(text), Error, "a package must not import files", path);
  }
});

Deno.test("refusal() keeps the files of the developer from packages in Deno's cache, and only them", () => {
  const folders = { application: ["/home/me/shop"], npmCache: "/home/me/.cache/deno/npm" };
  const evil = "/home/me/.cache/deno/npm/registry.example/evil/1.0.0/index.js";
  for (
    const [file, isRefused] of [
      ["/home/me/.cache/deno/npm/registry.example/other/1.0.0/index.js", false],
      ["/home/me/shop/node_modules/other/index.js", false],
      ["/home/me/node_modules/other/index.js", false],
      ["/home/me/shop/one.ts", true],
      ["/home/me/.cache/deno/npm/registry.example/evil/1.0.0/.env", true],
      ["/home/me/.cache/deno/location_data/x", true],
      ["/home/me/other/node_modules/a/index.js", true],
      ["/home/me/.aws/credentials", true],
      ["/home/me/shopping/a.ts", true],
    ] as const
  ) {
    assertEquals(refusal(file, evil, folders) !== undefined, isRefused, file);
  }
  for (const own of ["lib/a.ts", ".environment.ts", "app.env", ".env/a.ts"]) {
    assertEquals(refusal(`/home/me/shop/${own}`, "/home/me/shop/one.ts", folders), undefined, own);
  }
});
