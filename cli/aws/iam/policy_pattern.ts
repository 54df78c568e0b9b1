import { ANY, matchesWildcard, ONE, type Wildcard } from "../../rules/wildcard.ts";

/** The values of condition keys. The names are in lower case. */
export type Context = Readonly<Record<string, string | readonly string[]>>;

/** Matches a text against a pattern: `*` stands for any characters, `?` for one, `${*}` for an asterisk. */
export function matchesText(pattern: string, text: string, context: Context = {}): boolean {
  const wildcard = wildcardOf(pattern, context);
  return wildcard !== undefined && matchesWildcard(wildcard, text);
}

/** Matches the ARN of a resource against a pattern. IAM has variables in the last part of such a pattern only. */
export function matchesResource(pattern: string, arn: string, context: Context): boolean {
  if (pattern === "*") return true;
  if (arn === "*" || /^([^:]*:){0,4}[^:]*\$\{(?![*?$]\})/.test(pattern)) return false;
  return matchesArn(pattern, arn, context);
}

/** Matches an ARN against a pattern, part by part. A wildcard does not reach beyond its part, except in the last one. */
export function matchesArn(pattern: string, arn: string, context: Context): boolean {
  const wildcard = wildcardOf(pattern, context);
  if (wildcard === undefined) return false;
  const parts = partsOf(wildcard);
  // If the pattern has fewer parts than an ARN, the others are free.
  return partsOf(arn.split("")).every((part, index) =>
    index >= parts.length || matchesWildcard(parts[index]!, part.join(""))
  );
}

/** The number of the colons that divide an ARN. The last part may have further ones. */
const COLONS = 5;

function partsOf(characters: Wildcard): Wildcard[] {
  const parts: Wildcard[number][][] = [[]];
  for (const character of characters) {
    if (character === ":" && parts.length <= COLONS) parts.push([]);
    else parts.at(-1)!.push(character);
  }
  return parts;
}

/** Tells whether all policy variables of a text have values. */
export function isResolved(pattern: string, context: Context): boolean {
  return wildcardOf(pattern, context) !== undefined;
}

/** Reads a pattern with policy variables. Returns `undefined` if a variable has no value: nothing matches then. */
function wildcardOf(pattern: string, context: Context): Wildcard | undefined {
  const wildcard: Wildcard[number][] = [];
  for (const [part, variable] of pattern.matchAll(/\$\{([^}]*)\}|[^]/g)) {
    if (variable === undefined) wildcard.push(part === "*" ? ANY : part === "?" ? ONE : part);
    else {
      const value = /^[*?$]$/.test(variable) ? variable : valueOf(variable, context);
      if (value === undefined) return undefined;
      wildcard.push(...value.split(""));
    }
  }
  return wildcard;
}

/**
 * Returns the value of a policy variable such as `aws:PrincipalArn` or `aws:username, 'somebody'`.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
 */
function valueOf(variable: string, context: Context): string | undefined {
  const [, key = "", value] = /^\s*([^,\s]+)\s*(?:,\s*'([^']*)'\s*)?$/.exec(variable) ?? [];
  const found = Object.hasOwn(context, key.toLowerCase()) ? context[key.toLowerCase()] : undefined;
  return typeof found === "string" ? found : value;
}
