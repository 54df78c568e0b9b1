import { assertEquals, assertMatch } from "@std/assert";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { mate } from "../../cli/testdata/command.ts";

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
