import type { Manifest } from "../../manifest/manifest.ts";
import { functionArn } from "../arn.ts";
import { Refusal, reply } from "../http.ts";

/**
 * An error of the Invoke API. Clients look for the message under either spelling.
 *
 * @param type The name of the exception, as clients know it.
 * @see https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors
 */
export function invokeRefusal(status: number, type: string, message: string): Refusal {
  const key = type === "ResourceNotFoundException" ? "Message" : "message";
  const headers = [["Content-Type", "application/json"], ["x-amzn-ErrorType", type]] as const;
  return new Refusal(
    reply(status, headers, JSON.stringify({ Type: "User", [key]: message })),
    message,
  );
}

/** The function's name, alone or at the end of an ARN or of part of one, perhaps with a version or alias. */
const NAME =
  /^(?:arn:aws[a-zA-Z-]*:lambda:)?(?:[a-z]{2}(?:-[a-z]+){1,2}-\d:)?(?:\d{12}:)?(?:function:)?([\w-]{1,64})(?::(\$LATEST|[\w-]{1,128}))?$/;

/**
 * Finds the function that a caller of the Invoke API means. Whatever account and region an ARN names, the function is the
 * one of this application.
 *
 * @param name The name of the function, its ARN, or the part of it from the account on; a version may follow.
 * @param qualifier The version that is named apart, or `null`.
 * @throws {Refusal} If there is no such function, or no such version of it.
 */
export function findFunction(manifest: Manifest, name: string, qualifier: string | null): string {
  const [, functionName, version] = NAME.exec(name) ?? [];
  if (functionName === undefined) {
    throw invokeRefusal(
      400,
      "ValidationException",
      `1 validation error detected: Value '${name}' at 'functionName' failed to satisfy constraint: ` +
        "Member must be the name of a function, or its ARN",
    );
  }
  if (version !== undefined && qualifier !== null && version !== qualifier) {
    throw invokeRefusal(
      400,
      "InvalidParameterValueException",
      "The derived qualifier from the function name does not match the specified qualifier.",
    );
  }
  const wanted = version ?? qualifier;
  const isKnown = Object.hasOwn(manifest.functions, functionName);
  if (!isKnown || (wanted !== null && wanted !== "$LATEST")) {
    const suffix = wanted === null ? "" : `:${wanted}`;
    throw invokeRefusal(
      404,
      "ResourceNotFoundException",
      `Function not found: ${functionArn(functionName)}${suffix}`,
    );
  }
  return functionName;
}
