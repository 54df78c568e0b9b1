import { assertEquals } from "@std/assert";
import { Ajv } from "ajv";
import { FULL, manifestText, withF, withTriggers } from "../testdata/manifest.ts";
import { manifestSchema } from "./manifest.ts";

const ROOT = new URL("../../", import.meta.url);
const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(manifestSchema());

/** The manifests of the repository. */
async function* manifestsIn(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory && name !== "node_modules" && !name.startsWith(".")) {
      yield* manifestsIn(new URL(`${name}/`, folder));
    } else if (name === "app.json") yield new URL(name, folder);
  }
}

Deno.test("the file schema.json is the JSON Schema of the manifest", async () => {
  const file = await Deno.readTextFile(new URL("schema.json", import.meta.url));
  assertEquals(
    file,
    `${JSON.stringify(manifestSchema(), undefined, 2)}\n`,
    "run: deno run -A cli/main.ts schema > cli/manifest/schema.json",
  );
});

Deno.test("the JSON Schema accepts every example, and says what every key is for", async () => {
  const files = await Array.fromAsync(manifestsIn(new URL("examples/", ROOT)));
  assertEquals(files.length >= 1, true);
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(file)));
  for (const [index, text] of [...texts, FULL, manifestText()].entries()) {
    assertEquals(
      isValid(JSON.parse(text)),
      true,
      `${files[index]} ${JSON.stringify(isValid.errors)}`,
    );
  }
  assertEquals([...undescribed(manifestSchema(), "")], []);
});

Deno.test("the JSON Schema refuses wrong keys, types, values and names", () => {
  for (
    const text of [
      "{}",
      withF({ memry: 1 }),
      withF({ memory: 100 }),
      withTriggers({ routes: [{ method: "get", path: "/" }] }),
      withTriggers({ routes: [{ method: "GET", path: "x" }] }),
      manifestText((manifest) => void (manifest.functions = { F: { module: "f.ts" } })),
    ]
  ) {
    assertEquals(isValid(JSON.parse(text)), false, text);
  }
});

/** The keys without a description, by their paths. */
function* undescribed(schema: unknown, path: string): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  const { properties, items, additionalProperties, anyOf } = schema as Record<string, unknown>;
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (!Object.hasOwn(value, "description")) yield `${path}.${key}`;
    yield* undescribed(value, `${path}.${key}`);
  }
  for (const child of [items, additionalProperties, ...(anyOf as unknown[] ?? [])]) {
    yield* undescribed(child, path);
  }
}
