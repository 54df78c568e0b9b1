import type { Uses } from "./types.ts";

/** The placeholders that texts of a manifest may contain. A deployment replaces them by values. */
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

export function hasKnownPlaceholders(text: string): boolean {
  return [...text.matchAll(ANY)].every(([all, name]) => all.endsWith("}") && KNOWN.test(name!));
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
