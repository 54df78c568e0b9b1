import { invalidArgument, S3Error } from "../responses.ts";

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
