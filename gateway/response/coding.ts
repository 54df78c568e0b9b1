import { toBytes } from "../../function/utf8.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import { chooseCoding } from "../negotiation/content_coding.ts";
import { type Answer, isDescribed, requestHeader } from "./answer.ts";
import { type Codec, type Compression, GZIP } from "./codec.ts";
import { JSON_CONTENT_TYPE } from "./json_transformer.ts";
import { isBytes } from "./stream_body.ts";

const BY_DEFAULT: Compression = { from: 1000, codecs: [GZIP] };

// These are compressed already; many formats are built on zip. Server-sent events must arrive one by one.
const INCOMPRESSIBLE =
  /^(?:image\/(?!svg)|audio|video|font\/woff|text\/event-stream)|zip|zstd|-archive|pdf|x-(?:7z|rar|xz|xpinstall)|vnd\.rar|pkpass|kmz|\.12\b|open(?:document|xmlformats)(?![^;]*xml)/i;

/**
 * Chooses how the content of an answer is compressed, and says so in its header fields.
 *
 * @param answer The answer, after all middleware.
 * @param event The request.
 * @returns The codec; `undefined` if the content stays as it is.
 */
export function agreeOnCodec(answer: Answer, event: FnProxyEvent | undefined): Codec | undefined {
  const { compression = BY_DEFAULT, headers } = answer;
  if (!isLong(answer.content, compression.from)) return undefined;
  const type = headers.get("content-type") ?? "";
  // To compile the expression would delay the first reply, which is mostly JSON.
  const isCompressible = type === JSON_CONTENT_TYPE || !INCOMPRESSIBLE.test(type);
  return isCompressible ? negotiateCodec(answer, event, compression.codecs) : undefined;
}

/** Chooses as `agreeOnCodec()`, whatever the type and the length of the content. */
export function negotiateCodec(
  { status, headers }: Answer,
  event: FnProxyEvent | undefined,
  codecs: readonly Codec[],
): Codec | undefined {
  // The range of a part counts the bytes as they are (RFC 9110 §14.4).
  const isFixed = headers.has("content-encoding") || headers.has("content-range");
  if (!event || codecs.length === 0 || !isDescribed(status) || isFixed) return undefined;
  headers.vary("Accept-Encoding");
  const accepted = requestHeader(event, "accept-encoding", status);
  const coding = chooseCoding(accepted, codecs.map(({ coding }) => coding));
  if (coding === undefined) return undefined;
  const tag = headers.get("etag");
  if (tag?.startsWith('"')) headers.set("ETag", `W/${tag}`);
  if (status === 304) return undefined;
  headers.delete("content-length");
  headers.set("Content-Encoding", coding);
  return codecs.find((codec) => codec.coding === coding);
}

/** Whether a content has this many bytes. A stream may have any number. */
function isLong(content: Answer["content"], from: number): boolean {
  if (typeof content !== "string") return !isBytes(content) || content.length >= from;
  // A character has at most three bytes of UTF-8.
  return content.length >= from ||
    (content.length * 3 >= from && toBytes(content).length >= from);
}
