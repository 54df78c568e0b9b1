/**
 * The placeholders that name a part of the application, such as `${TABLE_ORDERS}` and `${table.orders.arn}`.
 *
 * @module
 */
import { hintOf } from "./nearest.ts";
import type { Manifest, Statement, Uses } from "./types.ts";
import { isGeneral, isOpen, KINDS, PLACEHOLDERS, placeholdersIn, variableOf } from "./variables.ts";

type Kind = keyof Uses;

/** A value with a placeholder that has no meaning there. */
interface WrongReference {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Lists the resources of a kind: those that functions listen to or use, and those that the manifest declares. */
export function resourceNames(manifest: Manifest, kind: Kind): string[] {
  const functions = Object.values(manifest.functions);
  return [
    ...new Set([
      ...functions.flatMap(({ triggers }) => triggers[kind].map(({ name }) => name)),
      ...functions.flatMap(({ uses }) => Object.keys(uses[kind])),
      ...kind === "topics" ? [] : Object.keys(manifest[kind]),
    ]),
  ];
}

/** Returns the placeholder with the ARN of a function or of a resource, such as `table.orders.arn`. */
export function arnPlaceholder(kind: Kind | "functions", name: string): string {
  return `${kind.slice(0, -1)}.${name}.arn`;
}

/** Finds placeholders of `environment` and of `statements` that the manifest does not know, or that the function does not use. */
export function* findWrongReferences(manifest: Manifest): Generator<WrongReference> {
  const resources = KINDS.flatMap((kind) =>
    resourceNames(manifest, kind).map((name) => ({
      kind,
      name,
      variable: variableOf(kind, name),
      arn: arnPlaceholder(kind, name),
    }))
  );
  const functions = Object.keys(manifest.functions).map((name) =>
    arnPlaceholder("functions", name)
  );
  const arns = [...functions, ...resources.map(({ arn }) => arn)];
  const variables = resources.map(({ variable }) => variable);
  for (const [owner, { environment, statements, uses }] of Object.entries(manifest.functions)) {
    for (const [variable, value] of Object.entries(environment)) {
      const path = ["functions", owner, "environment", variable];
      if (isOpen(value)) yield { path, message: OPEN };
      for (const placeholder of placeholdersIn(value)) {
        if (isGeneral(placeholder) || functions.includes(placeholder)) continue;
        const found = resources.find((one) => [one.variable, one.arn].includes(placeholder));
        if (found === undefined) {
          yield { path, message: unknown(placeholder, [...arns, ...variables], USED) };
        } else if (!Object.hasOwn(uses[found.kind], found.name)) {
          const key = ["functions", owner, "uses", found.kind].join(".");
          const message = `has \${${placeholder}}, which the function does not use: ` +
            `add "${found.name}" to "${key}"`;
          yield { path, message };
        }
      }
    }
    for (const { text, path } of resourcesIn(statements, ["functions", owner, "statements"])) {
      if (isOpen(text)) yield { path, message: OPEN };
      // IAM's own variables, such as ${aws:username}, are not placeholders.
      for (const placeholder of placeholdersIn(text).filter((name) => !IAM.test(name))) {
        if (isGeneral(placeholder) || arns.includes(placeholder)) continue;
        yield { path, message: unknown(placeholder, arns, ARNS) };
      }
    }
  }
}

const IAM = /^(\w+:.*|[*?$])$/;

const OPEN = 'must end its placeholder with "}"';

const ARNS = "ARNs such as ${function.NAME.arn} and ${table.NAME.arn}";
const USED = `${ARNS}, and what "uses" sets, such as \${TABLE_NAME}`;

function unknown(placeholder: string, known: readonly string[], others: string): string {
  const inBraces = (name: string) => `\${${name}}`;
  const words = ["region", "account", ...known].map(inBraces);
  const text = inBraces(placeholder);
  return `has the unknown placeholder ${text}: ` +
    hintOf(text, words, `expected ${PLACEHOLDERS}, ${others}`);
}

function* resourcesIn(statements: readonly Statement[], path: readonly string[]) {
  for (const [index, statement] of statements.entries()) {
    for (const key of ["Resource", "NotResource"] as const) {
      for (const text of [statement[key] ?? []].flat()) yield { text, path: [...path, index, key] };
    }
  }
}
