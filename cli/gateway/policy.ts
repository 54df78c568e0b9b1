import { isConditionOperator, type Statement } from "../rules/statement.ts";

/** Reads the statements of the policy that an authorizer returned. Returns `undefined` if they are malformed or none. */
export function readStatements(policyDocument: unknown): readonly Statement[] | undefined {
  const { Statement } = Object(policyDocument) as { Statement?: Statement | readonly Statement[] };
  const statements: Statement[] = [Statement ?? []].flat();
  return statements.length > 0 && statements.every(isStatement) ? statements : undefined;
}

function isStatement(statement: unknown): boolean {
  const { Effect, Action, NotAction, Resource, NotResource, Condition = {} } = Object(statement);
  return ["Allow", "Deny"].includes(Effect) &&
    areTexts(Action ?? NotAction) && areTexts(Resource ?? NotResource) &&
    Object.entries(Object(Condition)).every(([operator, keys]) =>
      isConditionOperator(operator) && typeof keys === "object" && keys !== null
    );
}

function areTexts(value: unknown): boolean {
  const texts = [value].flat();
  return texts.length > 0 && texts.every((text) => typeof text === "string" && text !== "");
}
