import { ObjectKeyError } from "../triggers/object_key.ts";
import type { Access } from "./access.ts";
import { xmlResponse } from "./xml.ts";

/** An error in the form that Amazon S3 sends. */
export class S3Error extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** The response of Amazon S3 for a mistake of the client. Throws any other error. */
export function s3ErrorResponse(error: unknown): Response {
  if (error instanceof S3Error) return s3Failure(error.status, error.code, error.message);
  const isMistake = error instanceof ObjectKeyError || error instanceof URIError;
  if (isMistake) return s3Failure(400, "InvalidArgument", error.message);
  throw error;
}

function s3Failure(status: number, code: string, message: string): Response {
  return xmlResponse({ Error: { Code: code, Message: message } }, status);
}

/** An error in the form of the services that speak JSON. */
export function jsonFailure(status: number, type: string, message: string): Response {
  return Response.json({ __type: type, message, Message: message }, {
    status,
    headers: { "Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": type },
  });
}

/** The response to a function that may not do what it asks for, in the form of the service. */
export function deny(
  functionName: string,
  service: string,
  { action, resource }: Access,
): Response {
  const message = `The function "${functionName}" may not ${action} on ${resource}: ` +
    'grant it in the manifest by "uses" or "statements"';
  if (service === "s3") return s3Failure(403, "AccessDenied", message);
  if (service !== "sns") return jsonFailure(403, "AccessDeniedException", message);
  const error = { Type: "Sender", Code: "AuthorizationError", Message: message };
  return xmlResponse({ ErrorResponse: { Error: error } }, 403);
}
