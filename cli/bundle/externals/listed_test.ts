import { assertEquals, assertMatch } from "@std/assert";
import { makeApp } from "../../testdata/bundle.ts";
import { RUNTIMES, startApp } from "../../testdata/sandbox.ts";
import { bundleFunctions } from "../functions.ts";
import { Bundles } from "../modules/bundles.ts";
import { binary } from "./testdata/binaries.ts";

const M = "node_modules";
const manifestOf = (name: string, rest: object = {}) =>
  JSON.stringify({ name, version: "1.0.0", ...rest });

/** Packages that open files beside their modules, as pg-format, pdfkit, css-tree and jsdom do. */
const PACKAGES: Readonly<Record<string, string>> = {
  "package.json": manifestOf("app", { type: "module" }),
  [`${M}/words/package.json`]: manifestOf("words", { dependencies: { letters: "1" } }),
  [`${M}/words/index.js`]: `
    exports.words = require("fs").readFileSync(__dirname + "/words.txt", "utf8") + require("letters").letters;`,
  [`${M}/words/words.txt`]: "the words",
  [`${M}/letters/package.json`]: manifestOf("letters"),
  [`${M}/letters/index.js`]: 'exports.letters = "abc";',
  [`${M}/fonts/package.json`]: manifestOf("fonts", { type: "module", main: "fonts.js" }),
  [`${M}/fonts/fonts.js`]: `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    export const fonts = require("./fonts.json");`,
  [`${M}/fonts/fonts.json`]: '"the fonts"',
  [`${M}/worker/package.json`]: manifestOf("worker"),
  [`${M}/worker/index.js`]: `
    exports.run = () => require.resolve("./worker.js");
    exports.isMain = require.main === module;`,
  [`${M}/worker/worker.js`]: "",
  [`${M}/plain/package.json`]: manifestOf("plain", { type: "module", main: "plain.js" }),
  [`${M}/plain/plain.js`]: `
    import { createRequire } from "node:module";
    const require = createRequire(import.meta.url);
    export const plain = require("node:path").sep;
    export const own = typeof __filename === "undefined" ? undefined : __filename;
    export const isMain = import.meta.url === "file:///" + process.argv[1];`,
  [`${M}/native/package.json`]: manifestOf("native", { dependencies: { addon: "1" } }),
  [`${M}/native/index.js`]: 'exports.native = require("addon").addon;',
  [`${M}/addon/package.json`]: manifestOf("addon"),
  [`${M}/addon/index.js`]: 'exports.addon = "abc";',
  "native.ts": 'export { native as handler } from "native";',
  "plain.ts": 'export { plain as handler } from "plain";',
  "words.ts": 'export { words as handler } from "words";',
  "all.ts": `
    import { words } from "words";
    import { fonts } from "fonts";
    import { run } from "worker";
    export const handler = async () => [words, fonts, run()];`,
};

/** The application of all tests here. It has one bundler, because the start of one takes longer than a bundle. */
const app = await makeApp(PACKAGES, {});
await Deno.writeFile(`${app.folder}/${M}/addon/a.node`, binary("linux-x64"));
const bundles = new Bundles({ folder: app.folder, quiet: 0 });

/** Bundles functions. Returns the paths of their files, their problems and all warnings. */
async function bundle(functions: Readonly<Record<string, object>>) {
  const manifest = { name: "test", stage: "v0", functions };
  await Deno.writeTextFile(app.manifest, JSON.stringify(manifest));
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const made = await bundleFunctions(app.manifest, await app.read(), { bundles, warn });
  const paths = [...made.functions].map(([name, files]) =>
    [name, files.map(({ path }) => path).filter((path) => path.startsWith(M)).sort()] as const
  );
  const codes = [...made.bundles].map(([name, { code }]) => [name, code] as const);
  return {
    paths: Object.fromEntries(paths),
    codes: Object.fromEntries(codes),
    problems: Object.fromEntries(made.problems),
    warnings,
  };
}

Deno.test("a package that opens a file beside its module is warned of, and copied if the manifest names it", async () => {
  const runtime = "nodejs24.x";
  const packages = ["words", "fonts", "worker"];
  const { paths, problems, warnings, codes } = await bundle({
    without: { module: "all.ts", runtime },
    deno: { module: "all.ts" },
    plain: { module: "plain.ts" },
    words: { module: "words.ts", packages: ["words"] },
    node: { module: "all.ts", runtime, packages },
  });
  assertEquals(problems, {});
  const list = `"fonts" \\(${M}/fonts/fonts.js:3\\), "words" \\(${M}/words/index.js:2\\), ` +
    `"worker" \\(${M}/worker/index.js:2\\)`;
  assertEquals(warnings.length, 1, warnings.join("\n"));
  assertMatch(
    warnings[0]!,
    new RegExp(
      `^The functions "(without|deno)", "(deno|without)": the packages ${list} probably open ` +
        'files .* add "packages": \\["fonts","words","worker"\\] to the function$',
    ),
  );
  const words = ["letters/index.js", "letters/package.json"]
    .concat(["words/index.js", "words/package.json", "words/words.txt"])
    .map((path) => `${M}/${path}`);
  assertEquals(paths["words"], words, "with what it depends on");
  assertMatch(codes["words"]!, /from ["']words["']/);
  assertEquals(paths["node"]!.filter((path) => words.includes(path)), words);
  assertEquals(paths["node"]!.includes(`${M}/worker/worker.js`), true);
  assertEquals([paths["deno"], paths["without"], paths["plain"]], [[], [], []]);
});

Deno.test('a name in "packages" that nobody imports is an error with the nearest name', async () => {
  const { problems } = await bundle({
    unknown: { module: "words.ts", packages: ["wrods"] },
    unused: { module: "words.ts", packages: ["fonts"] },
    one: { module: "words.ts", packages: ["words", "letters"] }, // It is copied with the other one.
    two: { module: "plain.ts", packages: ["words"] }, // Another function needs it, as with "defaults".
  });
  assertEquals(problems, {
    unknown: '"packages" names "wrods", which is not installed: did you mean "words"?',
    unused: '"packages" names "fonts", which no module of the function imports: remove it',
  });
});

Deno.test('on Deno, a native add-on in "packages" is an error that names Node.js as the remedy', async () => {
  const { problems } = await bundle({ one: { module: "native.ts", packages: ["native"] } });
  assertMatch(
    problems["one"]!,
    /"addon" .*no native add-on for Deno: give the function "runtime": "nodejs24\.x"$/,
  );
});

for (const runtime of RUNTIMES) {
  Deno.test(`${runtime}: a function reads the files of the packages that its manifest names`, async () => {
    const packages = ["words", "fonts", "worker"];
    const settings = { runtime, module: "all.ts", packages, memory: 256 };
    await using host = await startApp("", settings, { manifestPath: app.manifest, bundles });
    const { json } = await host.invoke();
    const [words, fonts, path] = json as string[];
    assertEquals([words, fonts], ["the wordsabc", "the fonts"], host.log.join("\n"));
    assertEquals(path!.endsWith(`/${M}/worker/worker.js`), true, path);
  });
}
