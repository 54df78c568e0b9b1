import type { FunctionManifest, Manifest, Uses } from "./types.ts";

/** The placeholders that names in a manifest may contain. A deployment replaces them by values. */
export const PLACEHOLDERS = "${region}, ${account} and ${infra.NAME}";

const ANY = /\$\{([^}]*)\}?/g;
const KNOWN = /^(region|account|infra\.[A-Za-z_][\w-]*)$/;

/** Returns the names of the placeholders of a text such as `table-${infra.table_name}`. */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(ANY)].map(([, name]) => name!);
}

export function fillPlaceholders(text: string, valueOf: (name: string) => string): string {
  return text.replaceAll(ANY, (_, name) => valueOf(name));
}

/** Replaces the placeholders in all texts of a value. */
export function fillAll<T>(value: T, valueOf: (name: string) => string): T {
  const fill = (part: unknown): unknown =>
    typeof part === "string"
      ? fillPlaceholders(part, valueOf)
      : Array.isArray(part)
      ? part.map(fill)
      : typeof part === "object" && part !== null
      ? Object.fromEntries(Object.entries(part).map(([key, child]) => [key, fill(child)]))
      : part;
  return fill(value) as T;
}

/** Tells whether a placeholder is one of {@linkcode PLACEHOLDERS}. */
export function isGeneral(placeholder: string): boolean {
  return KNOWN.test(placeholder);
}

/** Tells whether the last placeholder of a text does not end. */
export function isOpen(text: string): boolean {
  return /\$\{[^}]*$/.test(text);
}

/** The kinds of resources in `uses`. */
export const KINDS = ["buckets", "topics", "queues", "tables"] as const;

/** Lists the environment variables that `uses` sets, such as `BUCKET_UPLOADS`. */
export function variablesOf(uses: Uses): string[] {
  return KINDS.flatMap((kind) => Object.keys(uses[kind]).map((name) => variableOf(kind, name)));
}

/** Makes the environment variables that `uses` sets, with the physical names of the resources. */
export function usedNames(
  uses: Uses,
  nameOf: Readonly<Record<keyof Uses, (name: string) => string>>,
): Record<string, string> {
  return Object.fromEntries(
    KINDS.flatMap((kind) =>
      Object.keys(uses[kind]).map((name) => [variableOf(kind, name), nameOf[kind](name)])
    ),
  );
}

/** Returns the environment variable with the physical name of a resource, such as `BUCKET_UPLOADS`. */
export function variableOf(kind: keyof Uses, name: string): string {
  return `${kind.slice(0, -1)}_${name.replaceAll("-", "_")}`.toUpperCase();
}

type Stage = Pick<Manifest, "name" | "stage" | "furtherStage">;

/** The path of the parameters of AWS Systems Manager with the secrets of a stage, such as `/shop/prod`. */
export function secretPath({ name, stage, furtherStage }: Stage): string {
  const base = furtherStage === undefined ? name : name.slice(0, -`-${furtherStage}`.length);
  return `/${base}/${stage}`;
}

/** The parameters with the secrets of a function by name, such as `/shop/prod/JWT_SECRET`. */
export function secretsOf(
  manifest: Stage,
  { secrets }: FunctionManifest,
): Readonly<Record<string, string>> {
  return Object.fromEntries(secrets.map((name) => [name, `${secretPath(manifest)}/${name}`]));
}

/** The secrets of an application by name, each with its functions. */
export function secretsIn({ functions }: Manifest): ReadonlyMap<string, readonly string[]> {
  const pairs = Object.entries(functions)
    .flatMap(([owner, { secrets }]) => secrets.map((secret) => ({ secret, owner })));
  const groups = Map.groupBy(pairs, ({ secret }) => secret);
  return new Map([...groups].map(([secret, uses]) => [secret, uses.map(({ owner }) => owner)]));
}

/** The most bytes of a secret, as UTF-8: those of a standard parameter. */
const MAX_SECRET = 4_096;

/**
 * Says why AWS Systems Manager or an environment variable cannot hold a value. The text does not quote the value.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/ssm.html#limits_ssm
 */
export function secretProblem(value: string): string | undefined {
  const { length } = new TextEncoder().encode(value);
  if (length > MAX_SECRET) return `it has ${length} bytes, and at most ${MAX_SECRET} are allowed`;
  if (value === "") return "it is empty";
  return value.includes("\0") ? "it contains the character NUL" : undefined;
}
