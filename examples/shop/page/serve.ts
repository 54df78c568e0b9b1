/**
 * Serves the page on this machine, and forwards the requests to the API. So the page and the API have one origin, as behind a
 * content delivery network.
 *
 * @module
 */

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.js": ["dist/page.js", "text/javascript; charset=utf-8"],
};

if (import.meta.main) {
  Deno.serve(
    { port: 8080, hostname: "127.0.0.1" },
    (request) => answer(request, "http://localhost:8000"),
  );
}

/** Answers a request with a file of the page, or with the answer of the application. */
export async function answer(request: Request, application: string): Promise<Response> {
  const { method, headers, body: sent } = request;
  const { pathname, search } = new URL(request.url);
  if (pathname.startsWith("/v1/")) {
    return await fetch(`${application}${pathname}${search}`, { method, headers, body: sent });
  }
  const [file, type] = FILES[pathname] ?? [];
  if (file === undefined) return new Response("Not found", { status: 404 });
  const body = await Deno.readFile(new URL(file, import.meta.url));
  return new Response(body, { headers: { "Content-Type": type! } });
}
