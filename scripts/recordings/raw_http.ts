import type { HttpAnswer, HttpRequest } from "./place.ts";

/** Sends a request over a connection. The path is sent unchanged, because `fetch()` would change some paths. */
export async function sendRaw(
  connect: () => Promise<Deno.Conn>,
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
  using connection = await connect();
  const bytes = new Blob([head.join("\r\n"), content]).stream();
  await bytes.pipeTo(connection.writable, { preventClose: true });
  const text = await new Response(connection.readable).text();
  const [answerHead = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = answerHead.split("\r\n");
  const answerHeaders = Object.fromEntries(lines.map((line) => {
    const [name = "", ...value] = line.split(":");
    return [name.toLowerCase(), value.join(":").trim()];
  }));
  const answerBody = rest.join("\r\n\r\n");
  return {
    status: Number(first.split(" ")[1]),
    headers: answerHeaders,
    body: answerHeaders["transfer-encoding"] === "chunked" ? dechunk(answerBody) : answerBody,
  };
}

/** Removes the frames of the chunks of a body that is ASCII (RFC 9112, section 7.1). */
function dechunk(body: string): string {
  let content = "";
  for (let rest = body;;) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, end), 16);
    if (!(size > 0)) return content;
    content += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 4 + size);
  }
}
