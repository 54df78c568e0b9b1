import { xml, xmlResponse } from "./xml.ts";

/** An error in the form that Amazon S3 sends. */
export class S3Error extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** The response for an error; throws an error that is no fault of the client. */
export function errorResponse(error: unknown): Response {
  const isKey = error instanceof Error && error.name === "ObjectKeyError";
  if (!(error instanceof S3Error) && !isKey && !(error instanceof URIError)) throw error;
  const { status, code } = error instanceof S3Error
    ? error
    : { status: 400, code: "InvalidArgument" };
  const { message } = error as Error;
  return xmlResponse(
    xml`<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
    status,
  );
}
