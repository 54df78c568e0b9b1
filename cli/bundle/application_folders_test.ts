import { assertEquals } from "@std/assert";
import { makeApp } from "../testdata/bundle.ts";
import { findApplication } from "./application_folders.ts";

Deno.test("findApplication() adds the root of the workspace that the folder is a member of", async () => {
  for (
    const [files, isMember] of [
      [{ "deno.json": '{ "workspace": ["./apps/shop"] }' }, true],
      [{ "deno.jsonc": '{ "workspace": ["apps/*"], // all of them\n }' }, true],
      [{ "deno.json": '{ "workspace": { "members": ["./apps/shop/"] } }' }, true],
      [{ "package.json": '{ "workspaces": ["apps/*"] }' }, true],
      [{ "package.json": '{ "workspaces": { "packages": ["apps/**"] } }' }, true],
      [{ "pnpm-workspace.yaml": "packages:\n  # all\n  - 'apps/*'\n" }, true],
      [{ "package.json": '{ "workspaces": ["apps"] }' }, true], // The folder lies in a member.
      [{ "package.json": '{ "workspaces": ["packages/*"] }' }, false],
      [{ "pnpm-workspace.yaml": "catalog:\n  - apps/*\n" }, false],
      [{ "deno.json": "{}", "package.json": "{}" }, false],
      [{ "deno.json": "{ broken" }, false],
      [{}, false],
    ] as const
  ) {
    await using app = await makeApp({ ...files, "apps/shop/one.ts": "" }, {});
    const root = await Deno.realPath(app.folder);
    const { folders, packages } = await findApplication(`${root}/apps/shop`);
    const wanted = isMember ? [`${root}/apps/shop`, root] : [`${root}/apps/shop`];
    assertEquals(folders, wanted, JSON.stringify(files));
    assertEquals(packages.slice(0, 3), [
      `${root}/apps/shop/node_modules`,
      `${root}/apps/node_modules`,
      `${root}/node_modules`,
    ]);
  }
});

Deno.test("findApplication() returns the nearest configuration with options of the compiler", async () => {
  const config = '{ "compilerOptions": { "jsx": "react-jsx" } }';
  await using app = await makeApp(
    { "deno.json": config, "a/deno.jsonc": "{}", "a/b/x.ts": "" },
    {},
  );
  assertEquals((await findApplication(`${app.folder}/a/b`)).compilerOptions, { jsx: "react-jsx" });
});
