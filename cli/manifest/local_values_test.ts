import "../../testdata/own_environment.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { manifestText, withF } from "../testdata/manifest.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { readLocalManifest, readLocalSecrets } from "./local_values.ts";
import { parseManifest } from "./manifest.ts";

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

Deno.test("readLocalManifest() gives outputs of infra the values of their variables, or their own names", async () => {
  const folder = temporaryFolder();
  await Deno.writeTextFile(
    `${folder}/app.json`,
    withF({
      environment: { BUS: "${infra.bus}", BUS_AGAIN: "${infra.bus}", PART: "a-${infra.other}" },
      statements: [{
        Effect: "Allow",
        Action: "events:PutEvents",
        Resource: "arn:aws:events:${region}:${account}:event-bus/${infra.bus}",
      }],
      triggers: {
        events: ["bus", "other"].map((name) => ({
          pattern: { source: [`\${infra.${name}}`, "${x}"] },
          bus: `\${infra.${name}}`,
        })),
      },
    }),
  );
  const read = async (values: string) => {
    await Deno.writeTextFile(`${folder}/.env`, values);
    const { statements, triggers } = (await readLocalManifest(`${folder}/app.json`)).functions.f!;
    return [
      statements[0]!.Resource,
      ...triggers.events.map(({ bus, pattern }) => [bus, pattern.source]),
    ];
  };
  const arn = "arn:aws:events:${region}:${account}:event-bus";
  const other = ["other", ["other", "${x}"]];
  assertEquals<unknown>(await read("PART=b\n"), [`${arn}/bus`, ["bus", ["bus", "${x}"]], other]);
  assertEquals<unknown>(
    await read("BUS=orders\nPART=b\n"),
    [`${arn}/orders`, ["orders", ["orders", "${x}"]], other],
  );
});

/** Runs a function with other values of variables. */
async function withVariables<T>(
  values: Readonly<Record<string, string | undefined>>,
  run: () => Promise<T>,
): Promise<T> {
  const former = Object.keys(values).map((name) => [name, Deno.env.get(name)] as const);
  const set = (name: string, value: string | undefined) =>
    value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
  for (const [name, value] of Object.entries(values)) set(name, value);
  try {
    return await run();
  } finally {
    for (const [name, value] of former) set(name, value);
  }
}

const SECRETS = parseManifest(
  manifestText({
    functions: {
      f: { module: "f.ts", secrets: ["MATE_TEST_A", "MATE_TEST_B"] },
      g: { module: "g.ts", secrets: ["MATE_TEST_A", "MATE_TEST_C"] },
    },
  }),
  "app.json",
);

Deno.test("readLocalSecrets() takes what is given, in CI the environment, and the file .env", async () => {
  const folder = temporaryFolder();
  await Deno.writeTextFile(`${folder}/.env`, "MATE_TEST_A=file\nMATE_TEST_B=file\nMATE_TEST_C=\n");
  const environment = { MATE_TEST_A: "environment", MATE_TEST_C: "environment" };
  const missing = (name: string, owners: string) =>
    `The secret ${name} of ${owners} has no value on this machine, so the variable is absent: add it to the file .env`;
  for (
    const [ci, given, values, absent] of [
      [undefined, {}, ["file", "file", undefined], [missing("MATE_TEST_C", '"g"')]],
      ["", {}, ["file", "file", undefined], [missing("MATE_TEST_C", '"g"')]],
      ["false", {}, ["file", "file", undefined], [missing("MATE_TEST_C", '"g"')]],
      ["true", {}, ["environment", "file", "environment"], []],
      ["true", { MATE_TEST_A: "given" }, ["given", "file", "environment"], []],
      [undefined, { MATE_TEST_C: "given" }, ["file", "file", "given"], []],
    ] as const
  ) {
    const found = await withVariables(
      { ...environment, CI: ci },
      () => readLocalSecrets(SECRETS, folder, given),
    );
    const [MATE_TEST_A, MATE_TEST_B, MATE_TEST_C] = values;
    const wanted = { MATE_TEST_A, MATE_TEST_B, ...MATE_TEST_C && { MATE_TEST_C } };
    assertEquals<unknown>(found, { values: wanted, missing: absent });
  }
  const none = () => readLocalSecrets(SECRETS, temporaryFolder());
  const { values, missing: absent } = await withVariables({ CI: undefined }, none);
  assertEquals([values, absent.length, absent[0]], [{}, 3, missing("MATE_TEST_A", '"f", "g"')]);
});

Deno.test("readLocalSecrets() refuses a value that no secret can have, and an unknown secret", async () => {
  const folder = temporaryFolder();
  const read = (given: Record<string, string>) => () => readLocalSecrets(SECRETS, folder, given);
  await read({ MATE_TEST_A: "é".repeat(2048) })();
  await assertRejects(
    read({ MATE_TEST_A: "é".repeat(2048) + "x" }),
    Error,
    'Cannot use the secret "MATE_TEST_A": it has 4097 bytes, and at most 4096 are allowed',
  );
  await assertRejects(read({ MATE_TEST_A: "a\0b" }), Error, "it contains the character NUL");
  await assertRejects(
    read({ OTHER: "x" }),
    TypeError,
    'Cannot use the secret "OTHER": no function has it in "secrets"',
  );
  await Deno.writeTextFile(`${folder}/.env`, `MATE_TEST_B=${"x".repeat(5000)}`);
  await assertRejects(
    read({}),
    Error,
    `Cannot use the secret "MATE_TEST_B" of "${folder}/.env": it has`,
  );
});
