import type { Access } from "./access.ts";
import { xml, xmlResponse } from "./xml.ts";

/** The response to a function that may not do what it asks for, in the form of the service. */
export function deny(
  functionName: string,
  service: string,
  { action, resource }: Access,
): Response {
  const message =
    `The function "${functionName}" may not ${action} on ${resource}: grant it in the manifest by "uses" or "statements"`;
  if (service === "s3") {
    return xmlResponse(
      xml`<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
      403,
    );
  }
  if (service === "sns") {
    return xmlResponse(
      xml`
        <ErrorResponse>
          <Error><Type>Sender</Type><Code>AuthorizationError</Code><Message>${message}</Message></Error>
        </ErrorResponse>
      `,
      403,
    );
  }
  return Response.json({ __type: "AccessDeniedException", message }, {
    status: 403,
    headers: { "Content-Type": "application/x-amz-json-1.1" },
  });
}

/** The response of a service that is not emulated. */
export function notEmulated(service: string): Response {
  const message = `The service "${service}" is not emulated locally`;
  return Response.json({ __type: "NotImplemented", message, Message: message }, {
    status: 501,
    headers: { "Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": "NotImplemented" },
  });
}
