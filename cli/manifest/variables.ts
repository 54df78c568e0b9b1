import type { Uses } from "./types.ts";

/** The placeholders that texts of a manifest may contain: what stands for them is known when the application is deployed. */
export const PLACEHOLDERS = "${region}, ${account} and ${infra.NAME}";

const ANY = /\$\{([^}]*)\}?/g;
const KNOWN = /^(region|account|infra\.[A-Za-z_][\w-]*)$/;

/**
 * Finds the placeholders of a text.
 *
 * @param text The text, such as `table-${infra.table_name}`.
 */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(ANY)].map(([, name]) => name!);
}

/** Replaces the placeholders of a text, such as `${infra.table_name}`, by their values. */
export function fillPlaceholders(text: string, valueOf: (name: string) => string): string {
  return text.replaceAll(ANY, (_, name) => valueOf(name));
}

/** Tells whether a text contains known placeholders only. */
export function hasKnownPlaceholders(text: string): boolean {
  return [...text.matchAll(ANY)].every(([all, name]) => all.endsWith("}") && KNOWN.test(name!));
}

/** Lists the environment variables that `uses` sets, such as `BUCKET_UPLOADS`. */
export function variablesOf(
  uses: Readonly<Record<keyof Uses, Readonly<Record<string, string>>>>,
): string[] {
  return (["buckets", "topics", "queues"] as const).flatMap((kind) =>
    Object.keys(uses[kind]).map((name) => variableOf(kind, name))
  );
}

/** Returns the environment variable with the physical name of a resource, such as `BUCKET_UPLOADS`. */
export function variableOf(kind: keyof Uses, name: string): string {
  return `${kind.slice(0, -1)}_${name.replaceAll("-", "_")}`.toUpperCase();
}
