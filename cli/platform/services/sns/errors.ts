import { xmlResponse } from "../responses.ts";
import { ServiceError } from "../service_call.ts";

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const invalidParameter = (problem: string): ServiceError =>
  new ServiceError("InvalidParameter", `Invalid parameter: ${problem}`);

/** The error for a wrong message attribute. */
export const invalidAttribute = (problem: string): ServiceError =>
  new ServiceError("ParameterValueInvalid", problem);

export const notFound = (what: string): ServiceError =>
  new ServiceError("NotFound", `${what} does not exist`, "NotFound", 404);

export function snsFailure({ code, message, status }: ServiceError): Response {
  const Type = status < 500 ? "Sender" : "Receiver";
  const RequestId = crypto.randomUUID();
  const error = { Error: { Type, Code: code, Message: message }, RequestId };
  return xmlResponse({ ErrorResponse: error }, status);
}
