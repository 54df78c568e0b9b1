/**
 * The conditions of requests to Amazon S3 (RFC 9110, section 13).
 *
 * @module
 */
import type { StoredObject } from "./object_store.ts";
import { S3Error } from "../responses.ts";

type State = "unchanged" | undefined;

function failed(condition: string): S3Error {
  return new S3Error(
    "PreconditionFailed",
    "At least one of the pre-conditions you specified did not hold",
    { Condition: condition },
  );
}

/** Tells whether a list of entity tags has a tag. Amazon S3 takes tags without quotes, too. */
function includes(list: string, etag: string): boolean {
  return list.split(",").map((tag) => tag.trim().replace(/^W\//, "").replaceAll('"', ""))
    .some((tag) => tag === "*" || tag === etag);
}

/** Reads a date. An absent or invalid date is NaN, so it is neither before nor after another one. */
function readDate(text: string | null): number {
  return Date.parse(text ?? "");
}

/** Evaluates conditions on an object. `prefix` is the start of the names of the header fields. */
function evaluate(headers: Headers, object: StoredObject, prefix: string): State {
  const { etag } = object;
  const modified = Math.floor(object.modified / 1_000) * 1_000; // A date has no milliseconds.
  const match = headers.get(`${prefix}if-match`);
  const noneMatch = headers.get(`${prefix}if-none-match`);
  const since = readDate(headers.get(`${prefix}if-modified-since`));
  const until = readDate(headers.get(`${prefix}if-unmodified-since`));
  if (match !== null) {
    if (!includes(match, etag)) throw failed("If-Match");
  } else if (modified > until) {
    throw failed("If-Unmodified-Since");
  }
  if (noneMatch !== null) return includes(noneMatch, etag) ? "unchanged" : undefined;
  // A date of the future is invalid.
  return since <= Date.now() && modified <= since ? "unchanged" : undefined;
}

/**
 * Tells whether the client of GetObject or HeadObject has the object already.
 *
 * @throws {S3Error} If a precondition failed.
 */
export function isUnchanged(headers: Headers, object: StoredObject): boolean {
  return evaluate(headers, object, "") === "unchanged";
}

/** Throws if a condition on the source of a copy is false. */
export function checkSource(headers: Headers, object: StoredObject): void {
  if (evaluate(headers, object, "x-amz-copy-source-") === "unchanged") {
    const noneMatch = headers.has("x-amz-copy-source-if-none-match");
    throw failed(`x-amz-copy-source-If-${noneMatch ? "None-Match" : "Modified-Since"}`);
  }
}

/**
 * Reads the condition of a write. Amazon S3 takes `If-None-Match: *`, or `If-Match` with one entity tag.
 *
 * @param headers The header of the request.
 * @param hasChanged Tells whether the object was changed since the upload began.
 * @returns A function that throws if the client may not replace the current object.
 */
export function writeCondition(
  headers: Headers,
  hasChanged: () => boolean = () => false,
): (current: StoredObject | undefined) => void {
  const match = headers.get("if-match");
  const noneMatch = headers.get("if-none-match");
  const isKnown = match === null
    ? noneMatch === null || noneMatch === "*"
    : noneMatch === null && match !== "*";
  if (!isKnown) {
    throw new S3Error(
      "NotImplemented",
      "A header you provided implies functionality that is not implemented",
      { Header: match === null ? "If-None-Match" : "If-Match" },
    );
  }
  return (current) => {
    const name = match === null ? "If-None-Match" : "If-Match";
    if (match !== null) checkCurrent(match, current);
    if (noneMatch !== null && current !== undefined) throw failed(name);
    if ((match !== null || noneMatch !== null) && hasChanged()) {
      throw new S3Error(
        "ConditionalRequestConflict",
        "The conditional request cannot succeed due to a conflicting operation against this " +
          "resource.",
        { Condition: name },
      );
    }
  };
}

/** Reads the condition of DeleteObject: `If-Match` with an entity tag or `*`. */
export function deleteCondition(
  match: string | null,
): (current: StoredObject | undefined) => void {
  return (current) => {
    if (match !== null) checkCurrent(match, current);
  };
}

function checkCurrent(match: string, current: StoredObject | undefined): void {
  if (current === undefined) {
    throw new S3Error("NoSuchKey", "The specified key does not exist.");
  }
  if (!includes(match, current.etag)) throw failed("If-Match");
}
