/** An HTTP request, as read from the wire. */
export interface HttpRequest {
  readonly method: string;
  /** The path as transmitted, the stage included. */
  readonly path: string;
  /** The query as transmitted, without `?`; empty if there is none. */
  readonly query: string;
  /** The host of the request, and perhaps a port. It takes precedence over the `Host` header. */
  readonly authority: string;
  /** The names and values of the headers, in turn, as transmitted. */
  readonly rawHeaders: readonly string[];
  /** The protocol, such as `HTTP/1.1`. */
  readonly protocol: string;
  /** The IP address of the client. */
  readonly sourceIp: string;
  /** The body; empty if there is none. */
  readonly body: Uint8Array;
  readonly time: Date;
}

/** A request for the makers of events. */
export function requestParts(request: HttpRequest) {
  const { method, authority, path, query, rawHeaders, body } = request;
  const headers = Array.from(
    { length: rawHeaders.length / 2 },
    (_, index): [string, string] => [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!],
  );
  return { method, url: `http://${authority}${path}${query && `?${query}`}`, headers, body };
}
