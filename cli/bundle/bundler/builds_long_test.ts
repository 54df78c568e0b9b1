import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { importAll, makeApp } from "../../testdata/bundle.ts";
import { bundleModule } from "../modules/module_bundle.ts";
import { startBundles } from "./testdata/start_bundles.ts";

Deno.test("a bundle with a circular import does what Deno does without a bundle", async () => {
  const cases = [
    [{
      "one.ts": `import { b } from "./b.ts"; export const a = "A" + b; console.log(a);`,
      "b.ts": `import { a } from "./one.ts"; export const b = "B" + a;`,
    }, true],
    [{
      "one.ts": `import { B } from "./b.ts"; export class A {} console.log(new B());`,
      "b.ts": `import { A } from "./one.ts"; export class B extends A {}`,
    }, true],
    [{
      "one.ts": `import b from "./b.ts"; export default { value: 1 }; console.log(b);`,
      "b.ts": `import one from "./one.ts"; export default one.value;`,
    }, true],
    [{
      "one.ts": `import "./b.ts"; export let count = 1, other = 2; console.log(count, other);`,
      "b.ts": `import { other } from "./one.ts"; console.log(typeof other);`,
    }, true],
    [{
      "one.ts":
        `import "./b.ts"; export const { x, y: [z] } = { x: 1, y: [2] }; console.log(x, z);`,
      "b.ts": `import * as one from "./one.ts"; console.log(one.z);`,
    }, true],
    [{
      "one.ts": `import { b } from "./lib/b.ts"; export const a = 1; console.log(b());`,
      "lib/b.ts": `import { c } from "./c.ts"; export const b = () => c + 1;`,
      "lib/c.ts": `import { a } from "../one.ts"; export const c = a;`,
    }, true],
    [{
      "one.ts": `import { b } from "./b.ts"; export const a = "A"; export enum E { X = "X" }
          export function f() { return a; } export var v = 1; export class C {} console.log(b());`,
      "b.ts": `import { a, C, E, f, v } from "./one.ts"; console.log(typeof f, v, typeof E);
          export const b = () => [a, f(), E.X, C.name, v].join();`,
    }, false],
  ] as const;
  const modules = cases.flatMap(([files], index) =>
    Object.entries(files).map(([name, code]) => [`${index}/${name}`, code])
  );
  await using app = await makeApp(Object.fromEntries(modules), {});
  const names = cases.map((_, index) => `${index}/one.ts`);
  const unbundled = await importAll(names.map((name) => `${app.folder}/${name}`));
  assertEquals(
    unbundled.map(([, error]) => error !== ""),
    cases.map(([, isFailing]) => isFailing),
  );
  // A bundler has to rename and move code, so the name of the variable may differ.
  const kindsOf = (results: typeof unbundled) =>
    results.map(([output, error]) => [output, error.replace(/'.*'/, "")]);
  const { results } = await startBundles(app.folder, names);
  assertEquals(kindsOf(results), kindsOf([...unbundled, ...unbundled]));
});

Deno.test("a bundle has the decorators that tsconfig.json chooses, if deno.json has no options", async () => {
  const legacy = `{ "compilerOptions": { "experimentalDecorators": true } }`;
  const standard = `{ "compilerOptions": {} }`;
  const cases = [
    [{}, "object"],
    [{ "tsconfig.json": legacy }, "string"],
    [{ "tsconfig.json": `{ "extends": "./base.json" }`, "base.json": legacy }, "string"],
    [{ "tsconfig.json": legacy, "deno.json": standard }, "object"],
    [{ "tsconfig.json": standard, "deno.json": legacy }, "string"],
  ] as const;
  const bundles = temporaryFolder();
  for (const [index, [files]] of cases.entries()) {
    await using app = await makeApp({
      "package.json": "{}",
      "one.ts": `import "./two.ts";`,
      "two.ts": `
        function show(_: unknown, second: unknown) { console.log(typeof second); }
        export class Two { @show run() {} }`,
      ...files,
    }, {});
    const { code } = await bundleModule(`${app.folder}/one.ts`);
    await Deno.writeTextFile(`${bundles}/${index}.js`, code);
  }
  const results = await importAll(cases.map((_, index) => `${bundles}/${index}.js`));
  assertEquals(results, cases.map(([, expected]) => [expected, ""] as const));
});
