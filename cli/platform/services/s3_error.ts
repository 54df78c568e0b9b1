import { ObjectKeyError } from "../triggers/object_key.ts";
import { xml, xmlResponse } from "./xml.ts";

/** An error in the form that Amazon S3 sends. */
export class S3Error extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/**
 * The response for a mistake of the client.
 *
 * @throws Any other error, as it is.
 */
export function errorResponse(error: unknown): Response {
  const isKey = error instanceof ObjectKeyError;
  if (!(error instanceof S3Error) && !isKey && !(error instanceof URIError)) throw error;
  const { status, code } = error instanceof S3Error
    ? error
    : { status: 400, code: "InvalidArgument" };
  const { message } = error;
  return xmlResponse(
    xml`<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    status,
  );
}
