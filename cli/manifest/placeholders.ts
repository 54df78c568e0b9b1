/** The placeholders that texts of a manifest may contain: what stands for them is known when the application is deployed. */
export const PLACEHOLDERS = "${region}, ${account} and ${infra.NAME}";

const ANY = /\$\{([^}]*)\}?/g;
const KNOWN = /^(region|account|infra\.[A-Za-z_][\w-]*)$/;

/**
 * Finds the placeholders of a text.
 *
 * @param text The text, such as `table-${infra.table_name}`.
 * @returns The names, such as `infra.table_name`.
 */
export function placeholdersIn(text: string): string[] {
  return [...text.matchAll(ANY)].map(([, name]) => name!);
}

/**
 * Replaces the placeholders of a text.
 *
 * @param text The text.
 * @param valueOf Returns the value of a placeholder, such as `infra.table_name`.
 * @returns The text without placeholders.
 */
export function fillPlaceholders(text: string, valueOf: (name: string) => string): string {
  return text.replaceAll(ANY, (_, name) => valueOf(name));
}

/**
 * Tells whether a text contains known placeholders only.
 *
 * @param text The text.
 */
export function hasKnownPlaceholders(text: string): boolean {
  return [...text.matchAll(ANY)].every(([all, name]) => all.endsWith("}") && KNOWN.test(name!));
}
