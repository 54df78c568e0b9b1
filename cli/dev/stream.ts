import type { Reply } from "../lambda/http.ts";
import type { Log, LogEntry } from "../lambda/log.ts";
import { showSpan } from "./traces/detail.ts";
import type { TraceFollower, Traces } from "./traces/traces.ts";

/** The number of characters of the log, and of the spans, that a new reader gets. */
const HISTORY = 500_000;
const SPAN_HISTORY = 1_500_000;

/** The number of bytes that may wait for a slow reader. If there are more, the stream ends, and the reader asks again. */
const MAX_WAITING = 4_000_000;

/**
 * Makes a response that follows the log and the spans, with Server-Sent Events. It ends if the reader goes away or is too slow.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function createStream(log: Log, traces: Traces, lastEventId: string | undefined): Reply {
  const encoder = new TextEncoder();
  const stops: (() => void)[] = [];
  const stop = () => stops.forEach((one) => one());
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOver = false;
      const send = (text: string) => {
        if (isOver) return;
        controller.enqueue(encoder.encode(text));
        if (controller.desiredSize! >= 0) return;
        isOver = true;
        stop();
        controller.close();
      };
      send("retry: 1000\n\n");
      const sendLine = (entry: LogEntry) => send(writeLine(entry, traces));
      for (const entry of log.after(Number(lastEventId) || 0, HISTORY)) sendLine(entry);
      send(writeEvent("clear", {}));
      newestSpans(traces).forEach(send);
      const sendSpan: TraceFollower = (change) =>
        send(change === "clear" ? writeEvent("clear", {}) : writeSpan(change, traces));
      stops.push(log.follow(sendLine), traces.follow(sendSpan));
    },
    cancel: stop,
  }, new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING }));
  const headers = [
    ["Content-Type", "text/event-stream"],
    ["Cache-Control", "no-store"],
  ] as const;
  return { status: 200, headers, body };
}

/** Writes the newest spans, the oldest first. */
function newestSpans(traces: Traces): readonly string[] {
  const texts: string[] = [];
  let size = 0;
  for (const recording of traces.list().toReversed()) {
    const text = writeSpan(recording, traces);
    size += text.length;
    if (size > SPAN_HISTORY) break;
    texts.push(text);
  }
  return texts.reverse();
}

function writeSpan({ span }: Parameters<typeof showSpan>[0], { hider }: Traces): string {
  return writeEvent("span", showSpan({ span }, hider));
}

/** Writes an event. The JSON has no line breaks. */
function writeEvent(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}

function writeLine({ number, text, ...entry }: LogEntry, { hider }: Traces): string {
  return `id: ${number}\ndata: ${JSON.stringify({ ...entry, text: hider.text(text) })}\n\n`;
}
