import type { Log, LogEntry } from "../log.ts";
import type { Reply } from "../http.ts";

/** How many characters of the log a new reader gets. */
const HISTORY = 500_000;

/** How many bytes may wait for a slow reader before its stream ends. It then asks again from where it was. */
const MAX_WAITING = 4_000_000;

/**
 * Makes the response that follows a log, as Server-Sent Events.
 *
 * @returns The response. It ends when the reader goes away or falls far behind.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function createLogStream(log: Log, lastEventId: string | undefined): Reply {
  const encoder = new TextEncoder();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (entry: LogEntry) => {
        controller.enqueue(encoder.encode(format(entry)));
        if (controller.desiredSize! >= 0) return;
        stop();
        controller.close();
      };
      controller.enqueue(encoder.encode("retry: 1000\n\n"));
      for (const entry of log.after(Number(lastEventId) || 0, HISTORY)) send(entry);
      stop = log.follow(send);
    },
    cancel() {
      stop();
    },
  }, new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING }));
  const headers = [
    ["Content-Type", "text/event-stream"],
    ["Cache-Control", "no-store"],
  ] as const;
  return { status: 200, headers, body };
}

/** One event. JSON text has no line breaks. */
function format({ number, time, functionName, text }: LogEntry): string {
  return `id: ${number}\ndata: ${JSON.stringify({ time, functionName, text })}\n\n`;
}
