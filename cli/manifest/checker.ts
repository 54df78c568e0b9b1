import { format, type OutputUnit, Validator } from "@cfworker/json-schema";
import { nearest } from "./nearest.ts";

/** Says what is wrong with a text, or returns `undefined` if the text has the format. */
export type Format = (text: string) => string | undefined;

/** What is wrong in a manifest. */
export interface Problem {
  /** The keys that lead to it. */
  readonly path: readonly (string | number)[];
  readonly text: string;
  readonly line?: number;
}

/** The keywords of a JSON Schema from which the messages are made. */
interface Schema {
  readonly $ref?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** The message for a value that the pattern does not match. Editors show it too. */
  readonly patternErrorMessage?: string;
  /** The message for a value that another keyword refuses. Editors show it too. */
  readonly errorMessage?: string;
}

/** The words for the types of JSON. */
const TYPES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  object: "an object",
  string: "a string",
};

/** The keywords with schemas. Their errors only repeat those of the schemas within them. Any other keyword refuses a value. */
const WITH_SCHEMAS = ["$ref", "properties", "items", "propertyNames", "false"];

/** What a keyword of the schema refuses. */
interface Refusal {
  readonly keyword: string;
  /** The keys that lead to the value, or to the name of a property. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** The schema with the keyword. */
  readonly schema: Schema;
}

/** Checks manifests against their JSON Schema, and fills in its defaults. */
export class Checker {
  readonly #schema: Schema;
  readonly #formats: Readonly<Record<string, Format>>;
  readonly #validator: Validator;

  constructor(schema: object, formats: Readonly<Record<string, Format>>) {
    this.#schema = schema;
    this.#formats = formats;
    for (const [name, problemOf] of Object.entries(formats)) {
      format[name] = (text) => problemOf(text) === undefined;
    }
    // The validator adds keys to the schema. In this version, other keywords may stand beside "$ref".
    this.#validator = new Validator(structuredClone(schema), "2019-09", false);
  }

  /** Lists the problems of a manifest. Each names the wrong key, and says what would be right. */
  problemsOf(manifest: unknown): Problem[] {
    let errors;
    try {
      errors = this.#validator.validate(manifest).errors;
    } catch (error) {
      if (!(error instanceof URIError)) throw error;
      return [{
        path: [],
        text: "a key of the manifest has half of a character: \\ud800 to \\udfff",
      }];
    }
    const own = errors.filter(({ keyword }) => !WITH_SCHEMAS.includes(keyword));
    // An object has an error for each of its missing or unknown keys, which are worded together.
    const places = new Map(
      own.map((error) => [`${error.keywordLocation} ${error.instanceLocation}`, error]),
    );
    // The validator has the formats of all checkers.
    const refusals = [...places.values()].map((error) => this.#refusalOf(error, manifest))
      .filter(({ keyword, schema }) =>
        keyword !== "format" || Object.hasOwn(this.#formats, schema.format!)
      );
    const unknown = refusals.filter(({ keyword }) => keyword === "additionalProperties");
    const problems = [
      ...refusals.filter(({ keyword }) => keyword !== "additionalProperties")
        .flatMap((refusal) => this.#word(refusal)),
      ...unknown.filter(({ schema }) => schema.additionalProperties === false)
        .flatMap((refusal) => wordUnknownKeys(refusal, this.#schema)),
    ];
    // Two keywords may refuse one value with the same words.
    return [...new Map(problems.map((problem) => [problem.text, problem])).values()];
  }

  /** Gives a valid manifest and the objects within it the keys that have a default and are absent. */
  fillIn(manifest: unknown): void {
    this.#fill(manifest, this.#schema);
  }

  #fill(value: unknown, schema: Schema): void {
    const { properties = {}, additionalProperties, items = {} } = this.#resolve(schema);
    if (Array.isArray(value)) return value.forEach((item) => this.#fill(item, items));
    if (typeof value !== "object" || value === null) return;
    const object = value as Record<string, unknown>;
    for (const [key, { default: value }] of Object.entries(properties)) {
      if (value !== undefined && !Object.hasOwn(object, key)) object[key] = structuredClone(value);
    }
    const others = typeof additionalProperties === "object" ? additionalProperties : {};
    for (const [key, member] of Object.entries(object)) {
      this.#fill(member, Object.hasOwn(properties, key) ? properties[key]! : others);
    }
  }

  #resolve(schema: Schema): Schema {
    return schema.$ref === undefined ? schema : this.#find(keysOf(schema.$ref));
  }

  /** Finds a part of the schema by the keys that lead to it. */
  #find(keys: readonly string[]): Schema {
    return keys.reduce<Schema>(
      (part, key) => key === "$ref" ? this.#resolve(part) : part[key as keyof Schema] as Schema,
      this.#schema,
    );
  }

  #refusalOf(
    { keyword, keywordLocation, instanceLocation }: OutputUnit,
    manifest: unknown,
  ): Refusal {
    const path = keysOf(instanceLocation);
    const places = keysOf(keywordLocation);
    const value = places.includes("propertyNames")
      ? path.at(-1)
      : path.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], manifest);
    return { keyword, path, value, schema: this.#find(places.slice(0, -1)) };
  }

  #word({ keyword, path, value, schema }: Refusal): Problem[] {
    const one = (text: string) => [{ path, text: `${nameOf(path)} ${text}` }];
    switch (keyword) {
      case "required":
        return schema.required!.filter((key) => !Object.hasOwn(value as object, key)).map((key) => {
          const missing = schema.properties![key]!;
          const message = missing.patternErrorMessage;
          const wanted = message ? `it ${message}` : `expected ${expected(missing)}`;
          const place = [...path, key];
          return { path: place, text: `${nameOf(place)} is missing: ${wanted}` };
        });
      case "pattern":
        return one(schema.patternErrorMessage!);
      case "format":
        return one(this.#formats[schema.format!]!(value as string)!);
      case "maxLength":
        return one(`must have at most ${schema.maxLength} characters`);
      case "not":
      case "minItems":
      case "minLength":
      case "minProperties":
      case "maxProperties":
        return one(schema.errorMessage ?? "must not be empty");
      default: // the type, or the range of a number
        return one(`must be ${expected(schema)}`);
    }
  }
}

/** Reads the keys of a JSON Pointer (RFC 6901, section 6) in a fragment of a URL. */
function keysOf(pointer: string): string[] {
  return decodeURI(pointer).split("/").slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Names a value in a message by the keys that lead to the value. */
export function nameOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? "the manifest" : `"${path.join(".")}"`;
}

function expected({ type = "string", enum: values, minimum, maximum }: Schema): string {
  if (type === "integer") return `a whole number from ${minimum} to ${maximum}`;
  if (values === undefined) return [type].flat().map((name) => TYPES[name]).join(" or ");
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return values.length > 1 ? `one of ${list}` : list;
}

/** Makes the messages for the unknown keys of one object. A message suggests the nearest known key. */
function wordUnknownKeys({ path, value, schema }: Refusal, manifest: Schema): Problem[] {
  const owner = path.length === 0 ? "a manifest" : nameOf(path);
  const known = Object.keys(schema.properties!);
  const keys = Object.keys(value as object).filter((key) => !known.includes(key)).map((key) => ({
    key,
    path: [...path, key],
    name: nameOf([...path, key]),
    word: nearest(key, known),
  }));
  const strange = keys.filter(({ word }) => word === undefined);
  const are = strange.length > 1 ? "are not keys" : "is not a key";
  const names = strange.map(({ name }) => name).join(", ");
  const hint = strange.filter(({ key }) => Object.hasOwn(manifest.properties ?? {}, key))
    .map(({ key }) => `; "${key}" is a key of the manifest itself`).join("");
  return [
    ...keys.filter(({ word }) => word !== undefined).map(({ path, name, word }) => ({
      path,
      text: `${name} is not a key of ${owner}: did you mean "${word}"?`,
    })),
    ...strange.slice(0, 1).map(({ path }) => ({
      path,
      text: `${names} ${are} of ${owner}: expected one of ${known.join(", ")}${hint}`,
    })),
  ];
}
