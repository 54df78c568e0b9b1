import type { JsonObject } from "../../function/json.ts";
import { HttpRequestEntityTooLargeError } from "../errors/client_errors.ts";
import { malformed, readBytes, readType, TOO_SHORT, unsupported } from "./body.ts";
import { percentDecode } from "./formats/entries.ts";
import { findHeader } from "./headers.ts";

const MULTIPART = "multipart/form-data";
const URL_ENCODED = "application/x-www-form-urlencoded";

/** The most fields of a form, because a field takes far more memory than bytes in the body. */
const MAX_FIELDS = 10_000;

/**
 * Reads the body as a form.
 *
 * @throws {HttpUnsupportedMediaTypeError} If `Content-Type` is not a type of forms.
 * @throws {MalformedPayloadError} If the body does not have the form that `Content-Type` says.
 * @throws {HttpRequestEntityTooLargeError} If the form has more than 10,000 fields.
 */
export async function readFormData(event: JsonObject): Promise<FormData> {
  const type = readType(event);
  const bytes = readBytes(event);
  const text = new TextDecoder("latin1").decode(bytes); // one character for each byte
  if (type === URL_ENCODED) {
    split(text, "&", MAX_FIELDS);
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  }
  if (type !== MULTIPART) throw unsupported(`${MULTIPART} or ${URL_ENCODED}`);
  return parseMultipart(bytes, text, parametersOf(findHeader(event, "content-type")!).boundary);
}

function split(text: string, separator: string, limit: number): string[] {
  const parts = text.split(separator, limit + 1);
  if (parts.length <= limit) return parts;
  throw new HttpRequestEntityTooLargeError(`Too many fields: expected at most ${MAX_FIELDS}`);
}

/**
 * Parses `multipart/form-data` (RFC 7578). The parsers of the runtimes give different forms for preambles, names without
 * quotes, escaped quotes and `filename*`, which curl, Python and .NET send.
 *
 * @param text The bytes as characters.
 */
function parseMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  text: string,
  boundary: string | undefined,
): FormData {
  if (!boundary) throw malformed("it has no boundary");
  const form = new FormData();
  const delimiter = `\r\n--${boundary}`;
  // A preamble may stand before the first part, and an epilogue after the last one.
  const [preamble, ...parts] = split(`\r\n${text}`, delimiter, MAX_FIELDS + 2);
  let start = preamble!.length - 2;
  for (const part of parts) {
    if (part.startsWith("--")) return form;
    start += delimiter.length;
    const head = /^[ \t]*(\r\n.+){0,99}\r\n\r\n/.exec(part)?.[0].length ?? 0;
    const fields = decode(bytes.subarray(start, start + head));
    const content = bytes.slice(start + head, start += part.length);
    const [, disposition = ""] = DISPOSITION.exec(fields) ?? [];
    const { name, filename } = parametersOf(disposition);
    if (name === undefined) throw malformed("a part has no name");
    const [, type = "text/plain"] = /\r\ncontent-type:[ \t]*(.+)/i.exec(fields) ?? [];
    if (filename === undefined) form.append(name, decode(content));
    else form.append(name, new File([content], filename, { type }));
  }
  throw malformed(TOO_SHORT);
}

/** The field of a part that names it. It may have several lines (RFC 5322 section 2.2.3). */
const DISPOSITION = /\r\ncontent-disposition:[ \t]*form-data([^]*?)\r\n(?![ \t])/i;

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** A parameter: its name, a mark for the extended form, and its value with or without quotes. */
const PARAMETER = /;\s*([^=;\s*]+)(\*?)=(?:"((?:[^"\\]|\\"?)*)"|([^;\s]*))/g;

/** The parameters of a field by names in lower case. A value in the extended form (RFC 8187) replaces the plain value. */
function parametersOf(field: string): Record<string, string | undefined> {
  const parameters: Record<string, string> = Object.create(null);
  for (const [, key, isExtended, quoted, token] of field.matchAll(PARAMETER)) {
    const name = key!.toLowerCase();
    if (isExtended) {
      const [, encoded] = /^utf-8'[^']*'(.+)/i.exec(token!) ?? [];
      parameters[name] = percentDecode(encoded ?? "") || parameters[name]!;
    } else {
      // Browsers percent-encode quotes and line ends. Other clients write a backslash before a quote.
      parameters[name] ??= quoted?.replaceAll('\\"', '"')
        .replaceAll(/%(?:22|0D|0A)/gi, decodeURIComponent) ?? token!;
    }
  }
  return parameters;
}
