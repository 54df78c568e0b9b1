import type { ProxyHandlerOptions } from "@mate/core/gateway";

/** What the HTTP functions have in common: browsers get a page, and scripts of every origin may read the answers. */
export const options: ProxyHandlerOptions = {
  customTransformers: { "text/html": page },
  cors: { origins: "*", maxAge: 7_200 },
  extraHeaders: {
    "Cache-Control": "no-store",
    // A page shows what its caller sent. It runs no script and loads nothing.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    "X-Content-Type-Options": "nosniff",
  },
};

/** The transformer for `text/html`: shows the payload as a page. */
export function page(payload: unknown): [content: string, contentType: string] {
  const json = JSON.stringify(payload, null, 2)
    .replace(/[&<]/g, (character) => character === "&" ? "&amp;" : "&lt;")
    // Characters that change the direction of the text become visible, because they could deceive.
    .replace(/\p{Bidi_Control}/gu, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
  return [
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The answer</title>
<link rel="icon" href="data:,">
<style>pre { white-space: pre-wrap; overflow-wrap: anywhere; }</style>
<main>
<h1>The answer</h1>
<pre>${json}</pre>
<p>The same as JSON: ask with the header <code>Accept: application/json</code>.</p>
</main>
`,
    "text/html; charset=utf-8",
  ];
}
