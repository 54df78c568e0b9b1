import { isPlainObject } from "../../function/arguments.ts";
import { setOwn } from "../../function/read.ts";
import { percentDecode } from "../event/format.ts";

/** A JSON Schema that is an object. */
export type SchemaObject = Record<string, unknown>;

/** The keywords whose values hold schemas by names. */
const BY_NAME = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/** The keywords whose values are data. A `$ref` in them refers to nothing. */
const DATA = ["const", "enum", "default", "example", "examples"];

/** The place of the schema itself. Its definitions have a slash and their name. */
const SELF = "";

/** The schemas of a document that have a name. */
export class Components {
  /** The schemas by their names in the document. */
  readonly schemas: SchemaObject = {};
  readonly #names = new Map<string, string>();

  /**
   * Takes the definitions of a schema over into the document.
   *
   * @param selfName The name of the schema if it refers to itself.
   * @returns The schema, whose references point to the document.
   * @throws {Error} If a reference points to nothing.
   */
  add(schema: SchemaObject, selfName: string): SchemaObject {
    const { $schema: _, $defs = {}, ...root } = schema;
    const definitions = new Map<string, unknown>([[SELF, root]]);
    for (const [name, definition] of Object.entries(Object($defs))) {
      definitions.set(`/${name}`, definition);
    }
    const targets = (from: unknown) => {
      const names = new Set<string>();
      mapReferences(from, (reference) => {
        const [name] = splitReference(reference);
        if (name !== undefined) names.add(name);
        return reference;
      });
      return names;
    };

    /** The name of a definition in the document. Equal names of equal contents are one component. */
    const nameOf = (local: string): string => {
      const reachable = new Set([local]);
      for (const name of reachable) { // the loop sees what it adds
        const definition = definitions.get(name);
        if (!isPlainObject(definition)) {
          throw new Error(`the reference to ${JSON.stringify(name.slice(1))} points to nothing`);
        }
        for (const target of targets(definition)) reachable.add(target);
      }
      const content = JSON.stringify([...reachable].map((name) => [name, definitions.get(name)]));
      const known = this.#names.get(content);
      if (known !== undefined) return known;
      const wanted = (local === SELF ? selfName : local.slice(1)).replaceAll(/[^\w.-]/g, "_");
      const name = unused(wanted, (name) => Object.hasOwn(this.schemas, name));
      this.#names.set(content, name);
      setOwn<unknown>(this.schemas, name, {}); // the place in the order
      setOwn<unknown>(this.schemas, name, rewrite(definitions.get(local)));
      return name;
    };

    const rewrite = (from: unknown) =>
      mapReferences(from, (reference) => {
        const [name, rest] = splitReference(reference);
        return name === undefined ? reference : `#/components/schemas/${nameOf(name)}${rest}`;
      });

    const isRecursive = [...definitions.values()].some((definition) =>
      targets(definition).has(SELF)
    );
    return isRecursive ? { $ref: `#/components/schemas/${nameOf(SELF)}` } : rewrite(root);
  }
}

/** The name, or the name with the first number from 2 that makes it unused. */
export function unused(name: string, isUsed: (name: string) => boolean): string {
  let free = name;
  for (let number = 2; isUsed(free); number++) free = `${name}${number}`;
  return free;
}

/** The place of the definition that a reference within a schema points to, and the rest of the reference. */
function splitReference(reference: string): [name: string | undefined, rest: string] {
  const [, name, rest = ""] = /^#\/\$defs\/([^/]*)(.*)$/.exec(reference) ?? [];
  if (name !== undefined) return [`/${unescapePointer(name)}`, rest];
  return reference.startsWith("#") ? [SELF, reference.slice(1)] : [undefined, ""];
}

/** Reads a part of a JSON Pointer in a URI fragment (RFC 6901 section 6). Some libraries do not percent-encode it. */
function unescapePointer(part: string): string {
  // A "%" without two digits stands for itself.
  return (percentDecode(part) ?? part).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** A copy of a schema with other references. */
function mapReferences(given: unknown, change: (reference: string) => string): SchemaObject {
  const copyEach = (values: object, copyOne: (value: unknown, name: string) => unknown) => {
    const copy: SchemaObject = {};
    for (const [name, value] of Object.entries(values)) {
      setOwn(copy, name, copyOne(value, name));
    }
    return copy;
  };
  const copySchema = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(copySchema);
    if (!isPlainObject(schema)) return schema;
    return copyEach(schema, (value, keyword) => {
      if (keyword === "$ref" && typeof value === "string") return change(value);
      if (DATA.includes(keyword)) return value;
      return BY_NAME.includes(keyword) && isPlainObject(value)
        ? copyEach(value, copySchema)
        : copySchema(value);
    });
  };
  return copySchema(given) as SchemaObject;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: SchemaObject;
}

const PLAIN = ["string", "number", "integer", "boolean", "null"];

/**
 * Makes the parameters of the JSON Schema of an object.
 *
 * @param variables The variables of the path.
 * @throws {Error} If it is not an object of plain values, because a parameter is one text.
 */
export function readParameters(
  schema: SchemaObject,
  place: Parameter["in"],
  variables: readonly string[],
): Parameter[] {
  const object = resolve(schema, schema);
  if (object?.["type"] !== "object") throw new Error("expected the schema of an object");
  const { properties = {}, required = [] } = object as {
    properties?: Record<string, SchemaObject>;
    required?: readonly string[];
  };
  for (const [name, property] of Object.entries(properties)) {
    if (!isPlain(property, schema)) {
      throw new Error(`expected ${JSON.stringify(name)} to be a plain value, because it is a text`);
    }
    if (place === "header" && name !== name.toLowerCase()) {
      throw new Error(`expected ${JSON.stringify(name)} in lower case`);
    }
    if (place === "path" && !variables.includes(name)) {
      throw new Error(`expected a variable of the path, got ${JSON.stringify(name)}`);
    }
  }
  const names = place === "path" ? variables : Object.keys(properties);
  return names.map((name) => ({
    name,
    in: place,
    ...(place === "path" || required.includes(name)) && { required: true },
    schema: Object.hasOwn(properties, name) ? properties[name]! : { type: "string" },
  }));
}

/** The schema that a schema refers to, as a whole; `undefined` if it refers to nothing. */
function resolve(schema: unknown, root: SchemaObject): SchemaObject | undefined {
  const definitions = Object(root["$defs"]);
  const seen = new Set<unknown>();
  let target = schema;
  while (isPlainObject(target) && typeof target["$ref"] === "string" && !seen.has(target)) {
    seen.add(target);
    const name = splitReference(target["$ref"])[0]?.slice(1) ?? "";
    target = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  }
  return isPlainObject(target) && !seen.has(target) ? target : undefined;
}

/** Whether a schema describes texts, numbers, booleans or null. The schemas `{}` and `true` describe any text, too. */
function isPlain(given: unknown, root: SchemaObject): boolean {
  const schema = given === true ? {} : resolve(given, root);
  if (schema === undefined || "properties" in schema || "items" in schema) return false;
  const { type = [], enum: values = [], anyOf = [], oneOf = [], allOf = [] } = schema;
  const constants = "const" in schema ? [schema["const"]] : values;
  return [type].flat().every((type) => PLAIN.includes(type as string)) &&
    (constants as unknown[]).every((value) => typeof value !== "object" || value === null) &&
    [anyOf, oneOf, allOf].flat().every((part) => isPlain(part, root));
}
