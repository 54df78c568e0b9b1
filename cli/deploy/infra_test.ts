import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { withF } from "../testdata/manifest.ts";
import { checkOutputs, readInfra } from "./infra.ts";

Deno.test("readInfra() finds the variables and outputs in the files of both syntaxes", async () => {
  const folder = temporaryFolder();
  const files = {
    "a.tf": `variable "name" {}
  variable stage {
    default = "x"
  }
output "table_name" {
  value = "output \\"no\\" {"
}
# output "comment" {}
`,
    "b.tf.json": JSON.stringify({ variable: { region: {} }, output: { "zone-id": { value: 1 } } }),
    "c.txt": `output "text" {}`,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const infra = await readInfra(folder);
  assertEquals([...infra!.variables].sort(), ["name", "region", "stage"]);
  assertEquals([...infra!.outputs].sort(), ["table_name", "zone-id"]);
  assertEquals(await readInfra(`${folder}/none`), undefined);
  await Deno.writeTextFile(`${folder}/b.tf.json`, "{");
  await assertRejects(() => readInfra(folder), Error, `Cannot read the folder "${folder}"`);
});

Deno.test("checkOutputs() names each key that needs an output which does not exist", () => {
  const manifest = parseManifest(
    withF({
      environment: {
        TABLE: "${infra.table_nam}",
        GOOD: "${infra.table_name}",
        TEXT: "$ ${region}",
      },
      statements: [{ Effect: "Allow", Action: "s3:*", Resource: ["${infra.bucket_arn}/*"] }],
      triggers: {
        events: [{ pattern: { source: ["${infra.sender}"] }, bus: "${infra.bus}" }],
      },
    }, { settings: { alarms: { topic: "${infra.pager}" } } }),
    "app.json",
  );
  const infra = { variables: new Set<string>(), outputs: new Set(["table_name", "pager"]) };
  assertEquals(
    assertThrows(() => checkOutputs(manifest, infra), TypeError).message,
    `Cannot use the manifest "app.json":
  "functions.f.environment.TABLE" needs the output "table_nam" of infra: did you mean "table_name"?
  "functions.f.statements.0.Resource.0" needs the output "bucket_arn" of infra: add the block output "bucket_arn" to a file of the folder infra
  "functions.f.triggers.events.0.pattern.source.0" needs the output "sender" of infra: add the block output "sender" to a file of the folder infra
  "functions.f.triggers.events.0.bus" needs the output "bus" of infra: add the block output "bus" to a file of the folder infra`,
  );
  assertThrows(
    () => checkOutputs(manifest, undefined),
    TypeError,
    "the folder infra does not exist",
  );
  const lines = `{
    "name": "app", "stage": "v0",
    "functions": { "f": { "module": "f.ts", "environment": { "TEXT": "a",
      "GONE": "\${infra.gone}" } } }
  }`;
  assertThrows(
    () => checkOutputs(parseManifest(lines, "app.json"), infra),
    TypeError,
    'Cannot use the manifest "app.json": line 4: "functions.f.environment.GONE" needs the output "gone"',
  );
  infra.outputs.add("table_nam").add("bucket_arn").add("bus").add("sender");
  checkOutputs(manifest, infra);
});
