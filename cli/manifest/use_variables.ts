import type { Uses } from "./types.ts";

/**
 * Lists the environment variables that `uses` sets.
 *
 * @param uses The resources of a function, by kind.
 * @returns The names, such as `BUCKET_UPLOADS`.
 */
export function variablesOf(
  uses: Readonly<Record<keyof Uses, Readonly<Record<string, string>>>>,
): string[] {
  return (["buckets", "topics", "queues"] as const).flatMap((kind) =>
    Object.keys(uses[kind]).map((name) => variableOf(kind, name))
  );
}

/**
 * Returns the environment variable with the physical name of a resource.
 *
 * @param kind The kind of resource.
 * @param name The name of the resource, such as `uploads`.
 * @returns The name of the variable, such as `BUCKET_UPLOADS`.
 */
export function variableOf(kind: keyof Uses, name: string): string {
  return `${kind.slice(0, -1)}_${name.replaceAll("-", "_")}`.toUpperCase();
}
