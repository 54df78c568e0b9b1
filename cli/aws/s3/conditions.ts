/**
 * The conditions of requests to Amazon S3 (RFC 9110, section 13).
 *
 * @module
 */
import { invalidArgument, S3Error } from "../service_call.ts";
import type { StoredObject } from "./object_store.ts";

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

/**
 * Tells whether the client of a read has the object already.
 *
 * @param prefix The start of the names of the header fields.
 * @throws {S3Error} If a precondition failed.
 */
export function isUnchanged(headers: Headers, object: StoredObject, prefix = ""): boolean {
  const { etag } = object;
  const modified = Math.floor(object.modified / 1_000) * 1_000; // A date has no milliseconds.
  const match = headers.get(`${prefix}if-match`);
  const noneMatch = headers.get(`${prefix}if-none-match`);
  // An absent or invalid date is NaN, so it is neither before nor after another one.
  const [since, until] = ["modified", "unmodified"]
    .map((name) => Date.parse(headers.get(`${prefix}if-${name}-since`) ?? "")) as [number, number];
  if (match !== null) {
    if (!includes(match, etag)) throw failed("If-Match");
  } else if (modified > until) {
    throw failed("If-Unmodified-Since");
  }
  if (noneMatch !== null) return includes(noneMatch, etag);
  return since <= Date.now() && modified <= since; // A date of the future is invalid.
}

/** Throws if a condition on the source of a copy is false. */
export function checkSource(headers: Headers, object: StoredObject): void {
  if (isUnchanged(headers, object, "x-amz-copy-source-")) {
    const noneMatch = headers.has("x-amz-copy-source-if-none-match");
    throw failed(`x-amz-copy-source-If-${noneMatch ? "None-Match" : "Modified-Since"}`);
  }
}

/**
 * Reads the condition of a write. Amazon S3 takes `If-None-Match: *`, or `If-Match` with one entity tag.
 *
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
    matchCondition(match)(current);
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

/** Reads the condition `If-Match` with an entity tag. DeleteObject takes `*`, too. */
export function matchCondition(match: string | null): (current: StoredObject | undefined) => void {
  return (current) => {
    if (match === null) return;
    if (current === undefined) {
      throw new S3Error("NoSuchKey", "The specified key does not exist.");
    }
    if (!includes(match, current.etag)) throw failed("If-Match");
  };
}

/** A range of bytes: the first byte, and the byte after the last. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the range of a request (RFC 9110, section 14.2). Returns `undefined` if Amazon S3 ignores it: it takes one range.
 *
 * @throws {S3Error} If the range is outside the object.
 */
export function readRange(text: string | null, size: number): Range | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  const isSuffix = first === "";
  if (!isSuffix && last !== "" && Number(first) > Number(last)) return undefined;
  const start = isSuffix ? Math.max(0, size - Number(last)) : Number(first);
  const end = isSuffix || last === "" ? size : Math.min(size, Number(last) + 1);
  if (start < end) return { start, end };
  throw new S3Error("InvalidRange", "The requested range is not satisfiable", {
    RangeRequested: text!,
    ActualObjectSize: size,
  });
}

/** Reads the range of UploadPartCopy. */
export function readCopyRange(text: string | null, size: number): Range | undefined {
  if (text === null) return undefined;
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(text) ?? [];
  if (first === undefined || Number(first) > Number(last)) {
    const message =
      "The x-amz-copy-source-range value must be of the form bytes=first-last where first and " +
      "last are the zero-based offsets of the first and last bytes to copy";
    throw invalidArgument(message, "x-amz-copy-source-range", text);
  }
  if (Number(last) < size) return { start: Number(first), end: Number(last) + 1 };
  const message = Number(first) < size
    ? `Range specified is not valid for source object of size: ${size}`
    : "The specified copy range is invalid for the source object size";
  throw new S3Error(Number(first) < size ? "InvalidArgument" : "InvalidRequest", message, {
    ArgumentName: "x-amz-copy-source-range",
    ArgumentValue: text,
  });
}

/** Passes on the bytes of a range. */
export function slice({ start, end }: Range): TransformStream<Uint8Array, Uint8Array> {
  let position = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const part = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position));
      position += chunk.length;
      if (part.length > 0) controller.enqueue(part);
      if (position >= end) controller.terminate();
    },
  });
}
