import { assertEquals, assertRejects } from "@std/assert";
import { withF } from "../testdata/manifest.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { readLocalManifest } from "./local_values.ts";

Deno.test("readLocalManifest() takes values of the environment from the file .env", async () => {
  const folder = temporaryFolder();
  const environment = { KEY: "${infra.key}", NAME: "shop", OTHER: "a" };
  await Deno.writeTextFile(`${folder}/app.json`, withF({ environment }));
  const read = async () =>
    (await readLocalManifest(`${folder}/app.json`)).functions["f"]!.environment;
  assertEquals(await read(), environment, "without the file");
  await Deno.writeTextFile(
    `${folder}/.env`,
    `# mine\nKEY="a b"\nOTHER=\nUNKNOWN=1\nconstructor=1\n`,
  );
  assertEquals(await read(), { KEY: "a b", NAME: "shop", OTHER: "" });
  await Deno.remove(`${folder}/.env`);
  await Deno.mkdir(`${folder}/.env`);
  await assertRejects(read, Error, `Cannot read "${folder}/.env": `);
});
