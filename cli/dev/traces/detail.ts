import { Buffer } from "node:buffer";
import type { Payload, SpanDetail } from "./answers.ts";
import type { Hider } from "./hide.ts";
import type { Span } from "./span.ts";
import type { Kept, Recording } from "./traces.ts";

/** Writes a span without secrets. */
export function showSpan({ span }: Pick<Recording, "span">, hider: Hider): Span {
  return hider.json(span) as Span;
}

/** Writes a span with everything that is kept of it, without secrets. */
export function showDetail(
  recording: Recording,
  hider: Hider,
  actions: SpanDetail["actions"],
): SpanDetail {
  const { lines, event, result } = recording;
  return {
    ...showSpan(recording, hider),
    log: lines.map(({ time, text }) => ({ time, text: hider.text(text) })),
    event: event && showPayload(event, hider),
    result: result && showPayload(result, hider),
    actions,
  };
}

function showPayload({ bytes, size }: Kept, hider: Hider): Payload {
  const facts = { size, isCut: isCut({ bytes, size }) };
  try {
    return { text: hideText(decode(bytes, facts.isCut), hider), isBase64: false, ...facts };
  } catch {
    return { text: Buffer.from(bytes).toString("base64"), isBase64: true, ...facts };
  }
}

/** Tells whether only the beginning of bytes is kept. */
export function isCut({ bytes, size }: Kept): boolean {
  return bytes.length < size;
}

/** Decodes UTF-8. The last character of what is cut may be incomplete. */
function decode(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
}

/** Hides secrets. JSON is read, so that a hidden text ends where its value ends. */
function hideText(text: string, hider: Hider): string {
  try {
    return JSON.stringify(hider.json(JSON.parse(text)));
  } catch {
    return hider.text(text);
  }
}
