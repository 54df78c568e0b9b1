import { Buffer } from "node:buffer";
import type { Manifest } from "../../manifest/manifest.ts";
import { allow, errorReply, type Reply } from "../http.ts";
import type { Log, LogEntry } from "../log.ts";
import { SCRIPT } from "./script.ts";
import { createStartPage } from "./start_page.ts";
import { ICON, STYLE } from "./style.ts";

const ASSETS: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/assets/icon.svg": ["image/svg+xml", ICON],
  "/assets/script.js": ["text/javascript; charset=utf-8", SCRIPT],
  "/assets/style.css": ["text/css; charset=utf-8", STYLE],
  "/favicon.ico": ["image/svg+xml", ICON], // Browsers ask for it when they show the page of a function.
};

const SECURITY = [
  [
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ["Referrer-Policy", "no-referrer"],
  ["Cache-Control", "no-cache"],
] as const;

export function answerPage(
  manifest: Manifest,
  method: string,
  path: string,
  authority: string,
): Reply {
  const asset = path === "/"
    ? ["text/html; charset=utf-8", createStartPage(manifest, `http://${authority}`)] as const
    : Object.hasOwn(ASSETS, path)
    ? ASSETS[path]!
    : undefined;
  if (asset === undefined) return errorReply(404, `There is no ${path}`, SECURITY);
  allow(method, "GET", "HEAD");
  const [type, text] = asset;
  return { status: 200, headers: [["Content-Type", type], ...SECURITY], body: Buffer.from(text) };
}

/** The number of characters of the log that a new reader gets. */
const HISTORY = 500_000;

/** The number of bytes that may wait for a slow reader. If there are more, the stream ends, and the reader asks again. */
const MAX_WAITING = 4_000_000;

/**
 * Makes a response that follows the log, with Server-Sent Events. It ends if the reader goes away or is too slow.
 *
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

/** Writes an event. The JSON has no line breaks. */
function format({ number, time, functionName, text }: LogEntry): string {
  return `id: ${number}\ndata: ${JSON.stringify({ time, functionName, text })}\n\n`;
}
