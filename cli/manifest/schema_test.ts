/** Compares the two descriptions of a manifest: `schema.json`, which checks it, and `types.ts`, which the tool reads. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { FULL } from "../testdata/manifest.ts";
import schema from "./schema.json" with { type: "json" };

/** The parts of JSON Schema that tell which keys and values a manifest can have. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

/** A key as a path such as `functions.*.timeout`, with `?` if it may be absent, and the type of its value. */
type Key = readonly [path: string, value: string];

const TYPES = fileURLToPath(new URL("types.ts", import.meta.url));
const program = ts.createProgram([TYPES], { strict: true, noLib: true, types: [] });
const checker = program.getTypeChecker();
const source = program.getSourceFile(TYPES)!;
/** Those of `types.ts` and of the files that it imports. */
const statements = program.getSourceFiles().flatMap((file) => file.statements);

function* keysOfType(node: ts.TypeNode | ts.InterfaceDeclaration, path: string): Generator<Key> {
  for (const symbol of checker.getTypeAtLocation(node).getProperties()) {
    const { type, questionToken } = symbol.valueDeclaration as ts.PropertySignature;
    yield* keysOfNode(type!, `${path}${symbol.name}${questionToken ? "?" : ""}`);
  }
}

function* keysOfNode(node: ts.TypeNode, path: string): Generator<Key> {
  if (ts.isTypeOperatorNode(node)) return yield* keysOfNode(node.type, path); // readonly
  if (ts.isArrayTypeNode(node)) return yield* keysOfNode(node.elementType, `${path}[]`);
  if (ts.isUnionTypeNode(node)) {
    const rest = node.types.filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword);
    const list = rest.find(ts.isTypeOperatorNode); // one value or a list of them
    if (list || rest.length === 1) return yield* keysOfNode(list ?? rest[0]!, path);
  }
  if (ts.isTypeReferenceNode(node)) {
    const { typeName, typeArguments } = node;
    if (typeName.getText() === "Readonly") return yield* keysOfNode(typeArguments![0]!, path);
    if (typeName.getText() === "Record") return yield* keysOfNode(typeArguments![1]!, `${path}.*`);
    const declaration = statements.find((one) =>
      (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) &&
      one.name.text === typeName.getText()
    );
    if (ts.isTypeAliasDeclaration(declaration!)) return yield* keysOfNode(declaration.type, path);
    return yield* keysOfType(declaration as ts.InterfaceDeclaration, `${path}.`);
  }
  if (ts.isTypeLiteralNode(node)) return yield* keysOfType(node, `${path}.`);
  yield [path.replace(/\.\*$/, ""), node.getText().split(" | ").sort().join(" | ")];
}

function* keysOfSchema({ properties = {}, required = [] }: Schema, path: string): Generator<Key> {
  for (const [key, value] of Object.entries(properties)) {
    const isOptional = !required.includes(key) && value.default === undefined;
    yield* keysOfValue(value, `${path}${key}${isOptional ? "?" : ""}`);
  }
}

function* keysOfValue(value: Schema, path: string): Generator<Key> {
  const { type = "string", properties, items, additionalProperties } = value;
  if (properties) return yield* keysOfSchema(value, `${path}.`);
  if (items) return yield* keysOfValue(items, `${path}[]`);
  if (typeof additionalProperties === "object") {
    return yield* keysOfValue(additionalProperties, `${path}.*`);
  }
  const values = value.enum?.map((one) => JSON.stringify(one)).sort().join(" | ");
  yield [path.replace(/\.\*$/, ""), values ?? String(type).replace("integer", "number")];
}

/** The type of the values of an enumeration, because a type may name it alone. */
const plain = (value: string) =>
  value.startsWith('"') ? "string" : /^\d/.test(value) ? "number" : value;

const root = source.statements.find((one): one is ts.InterfaceDeclaration =>
  ts.isInterfaceDeclaration(one) && one.name.text === "Manifest"
);
const typed = new Map(keysOfType(root!, ""));

/** The keys of the schema, without those within a value that may be anything. */
const checked = new Map<string, string>();
for (const [path, value] of keysOfSchema(schema as Schema, "")) {
  const whole = [...typed].find(([key, type]) =>
    type === "unknown" && path.startsWith(key) && /^[.[]/.test(path.slice(key.length))
  );
  const filled = path === "functions.*.runtime?" ? path.slice(0, -1) : path;
  checked.set(whole?.[0] ?? filled, whole?.[1] ?? value);
}

Deno.test("types.ts and schema.json have the same keys, with the same values", () => {
  // Editors read $schema. The defaults are merged into the functions, and a stage into the manifest, which then knows which one
  // it was. A function without a runtime gets that of the manifest.
  const paths = [...typed.keys()].filter((path) => path !== "furtherStage?").sort();
  const others = [...checked.keys()]
    .filter((path) => !["$schema?", "stages"].includes(path) && !path.startsWith("defaults?"));
  assertEquals(
    paths,
    others.sort(),
    "Write the key into both cli/manifest/types.ts and schema.json",
  );
  for (const path of paths) {
    const [type, value] = [typed.get(path)!, checked.get(path)!];
    if (type !== "unknown") assertEquals(type, type.includes('"') ? value : plain(value), path);
  }
});

/** Tells whether a value has a key: `*` is any name, and `[]` any element of a list. */
function has(value: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (typeof value !== "object" || value === null) return false;
  if (key === "*" || key === "[]") return Object.values(value).some((child) => has(child, rest));
  return Object.hasOwn(value, key) && has((value as Record<string, unknown>)[key], rest);
}

Deno.test("the manifest with everything has every key of the schema", () => {
  const missing = [...checked.keys()].filter((path) => {
    if (path === "cors?.origin?") return false; // It excludes "origins".
    const keys = path.replaceAll("?", "").replaceAll("[]", ".[]").split(".");
    return !has(JSON.parse(FULL), keys);
  });
  assertEquals(missing, [], "Write these keys into FULL of cli/testdata/manifest.ts");
});
