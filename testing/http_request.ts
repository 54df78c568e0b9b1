/** An HTTP request: a standard `Request`, or its parts. */
export type HttpRequest = Request | HttpRequestInit;

/** The parts of an HTTP request, as the client sends them. */
export interface HttpRequestInit {
  /** The method; `GET` by default. */
  readonly method?: string;
  /** The URL, the stage included. A URL that starts with `/` gets the host of the gateway. */
  readonly url: string | URL;
  /** The header fields: a record, a standard `Headers`, or pairs. The names of a record and of pairs keep their spelling. */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]>;
  /** The body. */
  readonly body?: string | Uint8Array | null;
}

/** A request that was read. */
export interface ReadRequest {
  readonly method: string;
  readonly scheme: string;
  /** The host, with its port if the URL names one, in lower case. */
  readonly host: string;
  /** The path as transmitted. */
  readonly path: string;
  /** The query as transmitted, without `?`. */
  readonly query: string;
  /** The header fields by their names in lower case. */
  readonly headers: ReadonlyMap<string, HeaderField>;
  readonly body: Uint8Array;
}

/** A header field with all its values, and its name as the client first wrote it. */
export interface HeaderField {
  readonly name: string;
  readonly values: readonly string[];
}

/** Reads a request. A URL that starts with `/` gets the host. */
export async function readRequest(request: HttpRequest, host: string): Promise<ReadRequest> {
  const { method = "GET", url, headers = {}, body } = request;
  const isStandard = request instanceof Request;
  const href = String(url);
  // A `URL` would change the path, for example remove `..`.
  const [, scheme, authority, path, query] = /^(https?):\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?/i.exec(
    href.startsWith("/") ? `https://${host}${href}` : href,
  ) ?? [];
  if (scheme === undefined) {
    throw new TypeError(`Invalid URL ${JSON.stringify(href)}: expected http://…, https://… or /…`);
  }
  const fields = Symbol.iterator in headers ? headers : Object.entries(headers);
  return {
    method: method.toUpperCase(),
    scheme: scheme.toLowerCase(),
    host: authority!.toLowerCase(),
    path: encodeText(path || "/"),
    query: encodeText(query ?? ""),
    headers: collect(fields as Iterable<readonly [string, string]>),
    body: isStandard ? new Uint8Array(await request.arrayBuffer()) : toBytes(body as string),
  };
}

/** Percent-encodes the characters that must not be in a URL. */
function encodeText(text: string): string {
  return text.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

function collect(fields: Iterable<readonly [string, string]>): Map<string, HeaderField> {
  const headers = new Map<string, HeaderField>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const known = headers.get(key);
    headers.set(key, { name: known?.name ?? name, values: [...known?.values ?? [], value] });
  }
  return headers;
}

function toBytes(body: string | Uint8Array | null | undefined): Uint8Array {
  return typeof body === "string" ? new TextEncoder().encode(body) : body ?? new Uint8Array();
}
