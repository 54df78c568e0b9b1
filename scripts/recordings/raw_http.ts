import { Reader } from "../../runtime/reader.ts";
import { readResponse } from "../../runtime/response.ts";

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly status: number;
  /** The header fields, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request over a new connection. The path is sent unchanged, because `fetch()` would change some paths. */
export async function sendRaw(
  connecting: Promise<Deno.Conn>,
  host: string,
  { method, path, headers = {}, body = "" }: HttpRequest,
): Promise<HttpAnswer> {
  const content = new TextEncoder().encode(body);
  const fields = Object.entries({
    Host: host,
    ...headers,
    ...(body !== "" && { "Content-Length": String(content.length) }),
    Connection: "close",
  });
  const head = [`${method} ${path} HTTP/1.1`, ...fields.map((field) => field.join(": ")), "", ""];
  using connection = await connecting;
  const bytes = new Blob([head.join("\r\n"), content]).stream();
  await bytes.pipeTo(connection.writable, { preventClose: true });
  const answer = await readResponse(new Reader(connection));
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.fields),
    body: new TextDecoder().decode(answer.content),
  };
}
