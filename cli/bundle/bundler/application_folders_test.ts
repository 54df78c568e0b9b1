import "../../../testdata/own_environment.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { makeApp } from "../../testdata/bundle.ts";
import { findApplication } from "./application_folders.ts";

Deno.test("findApplication() adds the project and the root of the workspace that a folder belongs to", async () => {
  const own = { "apps/shop/deno.json": "{}" };
  for (
    const [files, isPart] of [
      [{ ...own, "deno.json": '{ "workspace": ["./apps/shop"] }' }, true],
      [{ ...own, "deno.jsonc": '{ "workspace": ["apps/*"], // all of them\n }' }, true],
      [{ ...own, "deno.json": '{ "workspace": { "members": ["./apps/shop/"] } }' }, true],
      [{ ...own, "package.json": '{ "workspaces": ["apps/*"] }' }, true],
      [{ ...own, "package.json": '{ "workspaces": { "packages": ["apps/**"] } }' }, true],
      [{ ...own, "pnpm-workspace.yaml": "packages:\n  # all\n  - 'apps/*'\n" }, true],
      [{ ...own, "package.json": '{ "workspaces": ["apps"] }' }, true], // The folder lies in a member.
      [{ ...own, "package.json": '{ "workspaces": ["packages/*"] }' }, false],
      [{ ...own, "pnpm-workspace.yaml": "catalog:\n  - apps/*\n" }, false],
      [{ ...own, "deno.json": "{ broken" }, false],
      [{ "apps/shop/package.json": "{}", "package.json": "{}" }, false],
      [{ "deno.json": "{}" }, true], // the configuration of the folder
      [{ "package.json": "{}" }, true],
      [{ "pnpm-workspace.yaml": "" }, false],
      [{}, false],
    ] as const
  ) {
    await using app = await makeApp({ ...files, "apps/shop/one.ts": "" }, {});
    const root = await Deno.realPath(app.folder);
    const { folders, packages } = await findApplication(`${root}/apps/shop`);
    const wanted = isPart ? [`${root}/apps/shop`, root] : [`${root}/apps/shop`];
    assertEquals(folders, wanted, JSON.stringify(files));
    assertEquals(packages.slice(0, 3), [
      `${root}/apps/shop/node_modules`,
      `${root}/apps/node_modules`,
      `${root}/node_modules`,
    ]);
  }
});

Deno.test("findApplication() refuses links to the home, to what contains it, and to folders without a project", async () => {
  await using app = await makeApp({
    "me/.aws/credentials": "SECRET",
    "me/notes/a.txt": "",
    "me/deno.json": "{}",
    "deno.json": "{}",
    "me/shop/one.ts": "",
    "me/shop/part/deno.json": "{}",
    "me/core/package.json": "{}",
  }, {});
  const root = await Deno.realPath(app.folder);
  const shop = `${root}/me/shop`;
  await Deno.symlink(`${root}/me`, `${shop}/link`);
  const home = Deno.env.get("HOME");
  Deno.env.set("HOME", `${root}/me`);
  try {
    const find = async (link: string) => {
      await Deno.writeTextFile(`${shop}/deno.json`, JSON.stringify({ links: [link] }));
      return await findApplication(shop);
    };
    for (
      const [link, reason] of [
        ["..", "it is your home folder, or contains it"],
        ["../..", "it is your home folder, or contains it"],
        ["/", "it is your home folder, or contains it"],
        ["./link", "it is your home folder, or contains it"],
        ["../.aws", "it has no deno.json and no package.json"],
        ["../notes", "it has no deno.json and no package.json"],
        ["../none", "it has no deno.json and no package.json"],
      ] as const
    ) {
      await assertRejects(
        () => find(link),
        Error,
        `Cannot use "${link}" in "links" of "${shop}/deno.json": ${reason}`,
      );
    }
    const core = await find("../core");
    assertEquals([core.folders, core.linked], [[shop, `${root}/me/core`], [`${root}/me/core`]]);
    const part = await find("./part");
    assertEquals([part.folders, part.linked], [[shop, `${shop}/part`], []]);
  } finally {
    if (home === undefined) Deno.env.delete("HOME");
    else Deno.env.set("HOME", home);
  }
});

Deno.test("findApplication() leaves the home of the user out, although it has a package.json", async () => {
  await using app = await makeApp({
    "me/package.json": "{}",
    "package.json": "{}",
    "me/shop/x.ts": "",
  }, {});
  const home = Deno.env.get("HOME");
  Deno.env.set("HOME", `${app.folder}/me`);
  try {
    assertEquals((await findApplication(`${app.folder}/me/shop`)).folders, [
      `${app.folder}/me/shop`,
    ]);
  } finally {
    if (home === undefined) Deno.env.delete("HOME");
    else Deno.env.set("HOME", home);
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

Deno.test("the nearest configuration decides whether an application is a project of Node.js", async () => {
  for (
    const [files, expected] of [
      [{ "package.json": "{}" }, true],
      [{ "package.json": "{}", "deno.json": "{}" }, false],
      [{ "package.json": "{}", "functions/deno.jsonc": "{}" }, false],
      [{ "deno.json": "{}", "functions/package.json": "{}" }, true],
    ] as const
  ) {
    await using app = await makeApp({ ...files, "functions/one.js": "" }, {});
    const { isNodeProject } = await findApplication(`${app.folder}/functions`);
    assertEquals(isNodeProject, expected, JSON.stringify(files));
  }
});
