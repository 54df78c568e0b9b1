import type { Statement } from "../../rules/statement.ts";
import { meetsConditions } from "./policy_condition.ts";
import { type Context, matchesResource, matchesText } from "./policy_pattern.ts";
import type { Access } from "../service_call.ts";

/**
 * Says what the statements of a policy say about an access. A statement that denies it has precedence. Returns `undefined` if
 * no statement applies: then the access is denied, too.
 *
 * @param context The values of condition keys. The names are in lower case.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
 */
export function decide(
  statements: readonly Statement[],
  access: Access,
  context: Context = {},
): "Allow" | "Deny" | undefined {
  const effects = statements.filter((statement) => applies(statement, access, context))
    .map(({ Effect }) => Effect);
  return effects.includes("Deny") ? "Deny" : effects[0];
}

function applies(
  { Action, NotAction, Resource, NotResource, Condition = {} }: Statement,
  { action, resource }: Access,
  context: Context,
): boolean {
  const isAction = (pattern: string) => matchesText(pattern.toLowerCase(), action.toLowerCase());
  const isResource = (pattern: string) => matchesResource(pattern, resource, context);
  return covers(Action, NotAction, isAction) && covers(Resource, NotResource, isResource) &&
    meetsConditions(Condition, context);
}

type Patterns = string | readonly string[] | undefined;

/** An element such as `Action` covers what one of its patterns matches, and `NotAction` everything else. */
function covers(patterns: Patterns, others: Patterns, is: (pattern: string) => boolean): boolean {
  if (patterns !== undefined) return [patterns].flat().some(is);
  return others !== undefined && ![others].flat().some(is);
}
