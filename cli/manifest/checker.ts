import { Ajv, type ErrorObject } from "ajv";
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

/**
 * Makes a function that checks a manifest against its JSON Schema and fills in the defaults.
 *
 * @returns The function. It returns the problems. Each names the wrong key, and says what would be right.
 */
export function makeChecker(
  schema: object,
  formats: Readonly<Record<string, Format>>,
): (value: unknown) => Problem[] {
  const validate = new Ajv({
    allErrors: true,
    useDefaults: true,
    verbose: true,
    strict: false,
    meta: false, // the schema of schemas takes longer to compile than all the rest
    validateSchema: false,
    messages: false,
    code: { optimize: false }, // The code is run once, so making it takes longer than running it.
    formats: Object.fromEntries(
      Object.entries(formats).map(([name, problemOf]) => [
        name,
        (text: string) => problemOf(text) === undefined,
      ]),
    ),
  }).compile(schema);
  return (value) => {
    if (validate(value)) return [];
    // Each error of "propertyNames" only repeats another error.
    const errors = validate.errors!.filter(({ keyword }) => keyword !== "propertyNames");
    const unknown = errors.filter(({ keyword }) => keyword === "additionalProperties");
    return [
      ...errors.filter((error) => !unknown.includes(error))
        .map((error) => {
          const path = pathOf(error);
          return { path, text: `${nameOf(path)} ${wordError(error, formats)}` };
        }),
      ...[...Map.groupBy(unknown, ({ instancePath }) => instancePath).values()]
        .flatMap((group) => wordUnknownKeys(group)),
    ];
  };
}

/** Names a value in a message by the keys that lead to the value. */
export function nameOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? "the manifest" : `"${path.join(".")}"`;
}

/** The keys that lead to the wrong value, to the wrong name of a property or to the missing property. */
function pathOf({ instancePath, propertyName, params }: ErrorObject): string[] {
  const keys = instancePath.split("/").slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last: string | undefined = propertyName ?? params.missingProperty;
  return last === undefined ? keys : [...keys, last];
}

function wordError(
  { keyword, params, data, parentSchema }: ErrorObject,
  formats: Readonly<Record<string, Format>>,
): string {
  const schema = parentSchema as Schema;
  switch (keyword) {
    case "required": {
      const missing = schema.properties![params.missingProperty]!;
      const message = missing.patternErrorMessage;
      return `is missing: ${message ? `it ${message}` : `expected ${expected(missing)}`}`;
    }
    case "pattern":
      return schema.patternErrorMessage!;
    case "format":
      return formats[params.format]!(data as string)!;
    case "maxLength":
      return `must have at most ${params.limit} characters`;
    case "not":
    case "minItems":
    case "minLength":
    case "minProperties":
    case "maxProperties":
      return schema.errorMessage ?? "must not be empty";
    default: // the type, or the range of a number
      return `must be ${expected(schema)}`;
  }
}

function expected({ type = "string", enum: values, minimum, maximum }: Schema): string {
  if (type === "integer") return `a whole number from ${minimum} to ${maximum}`;
  if (values === undefined) return [type].flat().map((name) => TYPES[name]).join(" or ");
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return values.length > 1 ? `one of ${list}` : list;
}

/** Makes the messages for the unknown keys of one object. A message suggests the nearest known key. */
function wordUnknownKeys(errors: readonly ErrorObject[]): Problem[] {
  const path = pathOf(errors[0]!);
  const owner = path.length === 0 ? "a manifest" : nameOf(path);
  const known = Object.keys((errors[0]!.parentSchema as Schema).properties!);
  const keys = errors.map(({ params: { additionalProperty: key } }) => ({
    path: [...path, key],
    name: nameOf([...path, key]),
    word: nearest(key, known),
  }));
  const strange = keys.filter(({ word }) => word === undefined);
  const are = strange.length > 1 ? "are not keys" : "is not a key";
  const names = strange.map(({ name }) => name).join(", ");
  return [
    ...keys.filter(({ word }) => word !== undefined).map(({ path, name, word }) => ({
      path,
      text: `${name} is not a key of ${owner}: did you mean "${word}"?`,
    })),
    ...strange.slice(0, 1).map(({ path }) => ({
      path,
      text: `${names} ${are} of ${owner}: expected one of ${known.join(", ")}`,
    })),
  ];
}
