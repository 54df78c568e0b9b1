import { Buffer } from "node:buffer";
import type { HttpRequest } from "../../gateway/protocol.ts";
import type { Reply } from "../../lambda/http.ts";
import { createSpanId, readTraceHeader, withParent, withRoot } from "../../rules/trace_header.ts";
import type { Attributes, Span } from "./span.ts";
import { followStream } from "./followed_stream.ts";
import { keep, type Kept, MAX_KEPT, type Traces } from "./traces.ts";

/** Answers requests. */
type Answer = (request: HttpRequest) => Promise<Reply>;

/**
 * Records the requests that a gateway or the URL of a function answers. The gateway gets the trace header beside the request.
 *
 * @param facts The attributes of each request.
 */
export function recordRequests(answer: Answer, traces: Traces, facts: Attributes): Answer {
  return async (request) => {
    const { method, path, query, headers, authority, sourceIp } = request;
    const given = headers.findLast(([name]) => /^x-amzn-trace-id$/i.test(name))?.[1];
    const header = withRoot(given, request.time);
    const { traceId, parent } = readTraceHeader(header);
    const id = createSpanId();
    traces.hider.learn(headers);
    traces.begin({
      id,
      traceId: traceId!,
      parent,
      type: "request",
      kind: "server",
      name: `${method} ${path}`,
      attributes: {
        ...facts,
        "http.request.method": method,
        "url.path": path,
        ...query !== "" && { "url.query": query },
        "server.address": authority,
        "client.address": sourceIp,
      },
      event: keepRequest(request),
    });
    const reply = await answer({ ...request, trace: withParent(header, id) });
    traces.hider.learn(reply.headers);
    const end = (result: Kept | undefined) => {
      const status = statusOf(reply.status);
      traces.end(id, {
        status,
        attributes: { "http.response.status_code": reply.status },
        ...status !== "ok" && {
          error: { type: String(reply.status), message: reply.reason ?? `HTTP ${reply.status}` },
        },
        result,
      });
    };
    if (reply.body instanceof Uint8Array) {
      end(keepReply(reply, reply.body));
      return reply;
    }
    return {
      ...reply,
      body: followStream(reply.body, (bytes, size) => end(keepReply(reply, bytes, size))),
    };
  };
}

function statusOf(status: number): Exclude<Span["status"], "running"> {
  return status >= 500 ? "failed" : status >= 400 ? "refused" : "ok";
}

/** Writes a request as HTTP/1.1 does: the head as text, and the body as it is. */
function keepRequest({ method, path, query, headers, body }: HttpRequest): Kept {
  const target = path + (query && `?${query}`);
  const head = headOf([`${method} ${target} HTTP/1.1`, ...headers.map(lineOf)]);
  return keepParts(head, body, body.length);
}

/** Writes a reply as HTTP/1.1 does. */
function keepReply({ status, headers }: Reply, body: Uint8Array, size = body.length): Kept {
  return keepParts(headOf([`HTTP/1.1 ${status}`, ...headers.map(lineOf)]), body, size);
}

const lineOf = ([name, value]: readonly [string, string]) => `${name}: ${value}`;

const headOf = (lines: readonly string[]) => Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");

function keepParts(head: Uint8Array, body: Uint8Array, size: number): Kept {
  return keep(Buffer.concat([head, body.subarray(0, MAX_KEPT)]), head.length + size);
}
