/**
 * Writes the reference of the manifest, `docs/manifest.md`, from its JSON Schema:
 * `deno run -A scripts/manifest_reference.ts`.
 *
 * @module
 */
import schema from "../cli/manifest/schema.json" with { type: "json" };
import { formatMarkdown, tableOf } from "./markdown.ts";

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
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
}

const HEAD = `# The manifest: \`app.json\`

Every key of the manifest, with its type, range and default. [The tool](../cli/README.md#the-manifest)
shows a short manifest, and [examples/shop/app.json](../examples/shop/app.json) is a longer one.

- A _name_ is a lower-case letter, then up to 39 lower-case letters, digits or hyphens.
- A key without a default may be left out, unless it is required. An unknown key is an error, and so is
  a key that occurs twice in one object. Comments are not allowed.
- \`\${region}\`, \`\${account}\` and \`\${infra.NAME}\` stand for the region, the account, and an output of
  the Terraform files in \`infra/\` ([deploy.md](deploy.md#your-own-resources)).
- The tool also finds routes that exclude each other, two functions for the same events of a bucket,
  queues that do not exist, and names that are too long in AWS. A schema cannot express these rules.

\`deno run -A scripts/manifest_reference.ts\` writes this page from the JSON Schema.
`;

/** Makes the reference: a table for each object of the schema. */
export function manifestReference(): Promise<string> {
  const sections = [...sectionsOf("The application", schema as Schema)];
  return formatMarkdown(`${HEAD}\n${sections.join("\n")}`);
}

/** The section of an object, then the sections of the objects in it. */
function* sectionsOf(title: string, { properties = {}, required = [] }: Schema): Generator<string> {
  const rows = Object.entries(properties).map(([key, value]) => {
    const fallback = value.default === undefined ? "" : `\`${JSON.stringify(value.default)}\``;
    return [
      `\`${key}\``,
      // Without the marks of code, some renderers would make links of names such as infra.NAME.
      (value.description ?? "").replaceAll(/\$\{[^}]+\}/g, "`$&`"),
      typeOf(value, titleBelow(title, key)),
      required.includes(key) ? "required" : fallback,
    ];
  });
  yield `## ${title}\n\n${tableOf([["key", "meaning", "type", "default"], ...rows])}\n`;
  for (const [key, value] of Object.entries(properties)) {
    const object = objectIn(value);
    if (object) yield* sectionsOf(titleBelow(title, key), object);
  }
}

/** The title of the section of an object: the keys from the manifest, or from a function, to the object. */
function titleBelow(title: string, key: string): string {
  const isRoot = title === "The application" || title === "A function";
  if (key === "functions") return "A function";
  return isRoot ? key : `${title}.${key}`;
}

/** The object with named keys in a value: the value itself, its items or its properties. */
function objectIn(value: Schema): Schema | undefined {
  const { properties, items, additionalProperties } = value;
  if (properties) return value;
  return [items, additionalProperties || undefined]
    .map((child) => child && objectIn(child)).find((child) => child !== undefined);
}

/** The type of a value and its range in words. */
function typeOf(value: Schema, title: string): string {
  if (value.enum) return value.enum.map((one) => `\`${one}\``).join(", ");
  if (value.$ref) return "name"; // the only definition
  return [value.type].flat().map((type) => typeNamed(type, value, title)).join(", or ");
}

function typeNamed(type: string | undefined, value: Schema, title: string): string {
  if (type === undefined) return "JSON";
  if (type === "boolean") return "`true`, `false`";
  if (type === "integer") return `whole number from ${value.minimum} to ${value.maximum}`;
  if (type === "object") return objectType(value, title);
  if (type === "string") return textType(value);
  const least = value.minItems === undefined ? "" : `, at least ${value.minItems}`;
  return `list${least}: ${typeOf(value.items!, title)}`;
}

function objectType({ properties, additionalProperties, propertyNames }: Schema, title: string) {
  if (properties) {
    return `[${title}](#${title.toLowerCase().replaceAll(".", "").replace(" ", "-")})`;
  }
  if (!additionalProperties) return "JSON object";
  const names = propertyNames!.$ref ? "name" : textType(propertyNames!);
  return `object: ${names} → ${typeOf(additionalProperties, title)}`;
}

function textType({ pattern, minLength, maxLength }: Schema): string {
  if (pattern !== undefined) return `text: \`${pattern}\``;
  if (maxLength !== undefined) return `text of at most ${maxLength} characters`;
  return minLength === undefined ? "text" : "text, not empty";
}

if (import.meta.main) {
  await Deno.writeTextFile(
    new URL("../docs/manifest.md", import.meta.url),
    await manifestReference(),
  );
}
