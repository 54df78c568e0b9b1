/**
 * Writes the reference of the manifest for the site, `.mate/manifest.md`, from its JSON Schema.
 * `deno task docs` runs this.
 *
 * @module
 */
import schema from "../cli/manifest/schema.json" with { type: "json" };

/** The parts of JSON Schema that the schema of the manifest uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
}

const HEAD = `---
title: docs/manifest
---

# The manifest: \`app.json\`

Each key with its type, its range and its default, as [the JSON Schema](../cli/manifest/schema.json)
has them. [examples/shop/app.json](../examples/shop/app.json) is a manifest of an application.

- A _name_ is a lower-case letter, then up to 39 lower-case letters, digits or hyphens.
- An unknown key is an error, and so is a key that occurs twice in one object, or a comment.
- \`\${region}\`, \`\${account}\` and \`\${infra.NAME}\` stand for the region, the account, and an output of
  the files in [\`infra/\`](../docs/infra.md).
- The tool also finds what a schema cannot express, such as routes that exclude each other, queues that do not
  exist, and names that are too long in AWS.
`;

/** The section of an object, then the sections of the objects in it. */
function* sectionsOf(title: string, { properties = {}, required = [] }: Schema): Generator<string> {
  const lines = Object.entries(properties).map(([key, value]) => {
    const notes = [typeOf(value, titleBelow(title, key))];
    if (required.includes(key)) notes.push("required");
    const fallback = JSON.stringify(value.default) ?? "{}";
    if (!["{}", "[]", '""'].includes(fallback)) notes.push(`default \`${fallback}\``);
    // Without the marks of code, some renderers would make links of names such as infra.NAME.
    const meaning = (value.description ?? "").replaceAll(/\$\{[^}]+\}/g, "`$&`");
    return `- \`${key}\` (${notes.join("; ")}): ${meaning}`;
  });
  yield `## ${title}\n\n${lines.join("\n")}\n`;
  for (const [key, value] of Object.entries(properties)) {
    const object = objectIn(value);
    // AWS describes event patterns.
    if (object && key !== "pattern" && !isOfFunction(object)) {
      yield* sectionsOf(titleBelow(title, key), object);
    }
  }
}

/** Whether an object has keys of functions only, which the section of functions describes. */
function isOfFunction({ properties = {} }: Schema): boolean {
  return Object.values(properties).every(({ $ref }) => $ref?.startsWith("#/properties/functions/"));
}

/** The title of the section of an object: the keys from the manifest, or from a function, to the object. */
function titleBelow(title: string, key: string): string {
  if (key === "functions") return "A function";
  return ["The application", "A function"].includes(title) ? key : `${title}.${key}`;
}

/** The object with named keys in a value: the value itself, its items or its properties. */
function objectIn(value: Schema | false | undefined): Schema | undefined {
  if (!value) return undefined;
  return value.properties ? value : objectIn(value.items ?? value.additionalProperties);
}

/** The type of a value and its range in words. */
function typeOf(value: Schema, title: string): string {
  if (value.enum) return value.enum.map((one) => `\`${one}\``).join(", ");
  if (value.$ref === "#/definitions/name") return "name";
  if (value.$ref === "#/definitions/variable") return textType(schema.definitions.variable);
  const types: Readonly<Record<string, () => string>> = {
    boolean: () => "boolean",
    integer: () => `${value.minimum} to ${value.maximum}`,
    object: () => objectType(value, title),
    string: () => textType(value),
    array: () =>
      `list${value.minItems ? `, at least ${value.minItems}` : ""}: ${typeOf(value.items!, title)}`,
  };
  return [value.type ?? []].flat().map((type) => types[type]!()).join(", or ") || "JSON";
}

function objectType(value: Schema, title: string) {
  if (title.endsWith(".pattern")) {
    return "[event pattern](https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html)";
  }
  const { properties, additionalProperties, propertyNames } = value;
  if (properties && isOfFunction(value)) {
    const names = Object.keys(properties).map((name) => `\`${name}\``).join(", ");
    return `${names} of [a function](#a-function)`;
  }
  if (properties) {
    return `[${title}](#${title.toLowerCase().replaceAll(".", "").replace(" ", "-")})`;
  }
  if (!additionalProperties) return "JSON object";
  const names = propertyNames!.$ref ? typeOf(propertyNames!, title) : textType(propertyNames!);
  return `${names} → ${typeOf(additionalProperties, title)}`;
}

function textType({ pattern, maxLength }: Schema): string {
  if (pattern) return `text: \`${pattern}\``;
  return maxLength ? `text of at most ${maxLength} characters` : "text";
}

// A list for each object of the schema, with one line for each key. The folder is in no package, and no test lists it.
const folder = new URL("../.mate/", import.meta.url);
await Deno.mkdir(folder, { recursive: true });
await Deno.writeTextFile(
  new URL("manifest.md", folder),
  [HEAD, ...sectionsOf("The application", schema as Schema)].join("\n"),
);
