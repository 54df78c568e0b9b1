import { assertEquals, assertRejects } from "@std/assert";
import { withF } from "../testdata/manifest.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { readLocalManifest } from "./local_values.ts";

Deno.test("readLocalManifest() takes values of the environment from the file .env", async () => {
  const folder = temporaryFolder();
  const file = `${folder}/.env`;
  const environment = { KEY: "${infra.key}", NAME: "shop", OTHER: "a", toString: "b" };
  await Deno.writeTextFile(`${folder}/app.json`, withF({ environment }));
  const read = async () =>
    (await readLocalManifest(`${folder}/app.json`)).functions["f"]!.environment;
  assertEquals(await read(), environment, "without the file");
  await Deno.mkdir(file);
  assertEquals(await read(), environment, "with a folder");
  await Deno.remove(file);
  await Deno.writeTextFile(file, '\uFEFFKEY="a b"\n# mine\nOTHER=\nUNKNOWN=1\n');
  assertEquals(await read(), { ...environment, KEY: "a b", OTHER: "" });
  await Deno.remove(file);
  await Deno.symlink(".env", file); // a loop
  await assertRejects(read, Error, `Cannot read "${file}": `);
});
