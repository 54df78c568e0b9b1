/**
 * The responses of the services: XML for Amazon S3 and SNS, JSON for all others.
 *
 * @module
 */
import { ObjectKeyError } from "../triggers/object_key.ts";

/** The content of an XML element: text, or elements by name. An array makes several elements with one name. */
type XmlContent = string | number | boolean | XmlElements;

export interface XmlElements {
  readonly [name: string]: XmlContent | readonly XmlContent[];
}

export function xmlResponse(document: XmlElements, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${serialize(document)}`, {
    status,
    headers: { "Content-Type": "application/xml" },
  });
}

function serialize(content: XmlContent): string {
  if (typeof content === "object") {
    return Object.entries(content).flatMap(([name, values]) =>
      [values].flat().map((value) => `<${name}>${serialize(value)}</${name}>`)
    ).join("");
  }
  // XML 1.0 does not allow control characters, even if they are escaped.
  // deno-lint-ignore no-control-regex
  return String(content).replaceAll(/[\0-\x08\v\f\x0e-\x1f]/g, "\ufffd")
    .replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

/** Reads the texts of all elements that have the given name and contain only text. */
export function textsOf(document: string, name: string): string[] {
  return [...document.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) =>
    text!.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal, hex, named) => {
      if (named !== undefined) return ENTITIES[named] ?? entity;
      return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
    })
  );
}

/** An error that Amazon S3 sends to its client. */
export class S3Error extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** Makes the response of Amazon S3 for a mistake of the client. Throws any other error. */
export function s3ErrorResponse(error: unknown): Response {
  if (error instanceof S3Error) return s3Failure(error.status, error.code, error.message);
  const isMistake = error instanceof ObjectKeyError || error instanceof URIError;
  if (isMistake) return s3Failure(400, "InvalidArgument", error.message);
  throw error;
}

export function s3Failure(status: number, code: string, message: string): Response {
  return xmlResponse({ Error: { Code: code, Message: message } }, status);
}

/** Makes an error of the services that speak JSON. */
export function jsonFailure(status: number, type: string, message: string): Response {
  return Response.json({ __type: type, message, Message: message }, {
    status,
    headers: { "Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": type },
  });
}
