import type { Log, LogEntry } from "../log.ts";
import type { Reply } from "../reply.ts";

/** How many events may wait for a slow reader before it is left alone; it then asks again from where it was. */
const MAX_WAITING = 2_000;

/**
 * Makes the response that tells of a log as it grows, as Server-Sent Events.
 *
 * @param log The log.
 * @param lastEventId The number of the last record that the reader has, as it says itself.
 * @returns The response; it ends when the reader goes away or falls far behind.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function createLogStream(log: Log, lastEventId: string | undefined): Reply {
  const encoder = new TextEncoder();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (entry: LogEntry) => {
        controller.enqueue(encoder.encode(format(entry)));
        if (controller.desiredSize! > -MAX_WAITING) return;
        stop();
        controller.close();
      };
      controller.enqueue(encoder.encode("retry: 1000\n\n"));
      const missed = log.after(Number(lastEventId) || 0).slice(-MAX_WAITING / 2);
      for (const entry of missed) send(entry);
      stop = log.follow(send);
    },
    cancel() {
      stop();
    },
  });
  const headers = [
    ["Content-Type", "text/event-stream"],
    ["Cache-Control", "no-store"],
  ] as const;
  return { status: 200, headers, body };
}

/** One event; JSON has no line ends of its own. */
function format({ number, time, functionName, text }: LogEntry): string {
  return `id: ${number}\ndata: ${JSON.stringify({ time, functionName, text })}\n\n`;
}
