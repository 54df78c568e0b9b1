import { Buffer } from "node:buffer";
import type { Manifest } from "../../manifest/manifest.ts";
import { errorReply, type Reply } from "../reply.ts";
import { createStartPage } from "./start_page.ts";

const ASSETS = {
  "forms.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "log.css": "text/css; charset=utf-8",
  "log.js": "text/javascript; charset=utf-8",
  "style.css": "text/css; charset=utf-8",
  "triggers.js": "text/javascript; charset=utf-8",
} as const;

const SECURITY = [
  [
    "Content-Security-Policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
  ["X-Content-Type-Options", "nosniff"],
  ["Cache-Control", "no-cache"],
] as const;

/**
 * Makes what serves the start page and what belongs to it.
 *
 * @param manifest The application.
 * @returns What answers a request, given its method, path and authority.
 */
export async function createPages(
  manifest: Manifest,
): Promise<(method: string, path: string, authority: string) => Reply> {
  const assets = new Map<string, Reply>();
  for (const [name, type] of Object.entries(ASSETS)) {
    // Works wherever this module comes from: a folder or a registry.
    const response = await fetch(new URL(`assets/${name}`, import.meta.url));
    assets.set(`/assets/${name}`, page(type, new Uint8Array(await response.arrayBuffer())));
  }
  assets.set("/favicon.ico", assets.get("/assets/icon.svg")!); // where functions' pages name no other
  return (method, path, authority) => {
    const isRoot = path === "/";
    const asset = assets.get(path);
    if (!isRoot && asset === undefined) return errorReply(404, `There is no ${path}`, SECURITY);
    if (method !== "GET" && method !== "HEAD") {
      const message = `The method ${method} is not allowed here: use GET, HEAD`;
      return errorReply(405, message, [["Allow", "GET, HEAD"], ...SECURITY]);
    }
    return asset ??
      page(
        "text/html; charset=utf-8",
        Buffer.from(createStartPage(manifest, `http://${authority}`)),
      );
  };
}

function page(type: string, body: Uint8Array): Reply {
  return { status: 200, headers: [["Content-Type", type], ...SECURITY], body };
}
