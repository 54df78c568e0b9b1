import { Buffer } from "node:buffer";
import type { Manifest } from "../../manifest/manifest.ts";
import { allow, errorReply, type Reply } from "../http.ts";
import { SCRIPT } from "./script.ts";
import { createStartPage } from "./start_page.ts";
import { ICON, STYLE } from "./style.ts";

const ASSETS: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/assets/icon.svg": ["image/svg+xml", ICON],
  "/assets/script.js": ["text/javascript; charset=utf-8", SCRIPT],
  "/assets/style.css": ["text/css; charset=utf-8", STYLE],
  "/favicon.ico": ["image/svg+xml", ICON], // the default icon of the pages of functions
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

/** Answers a request to the start page or to a file of it. */
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
