import type { IncomingHttpHeaders } from "node:http";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a request is for this machine. A page on the web can make its own name point here (DNS rebinding), but then the
 * request carries that name.
 *
 * @param host The authority of the request: a host, and perhaps a port.
 */
export function isLocalHost(host: string | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host ?? "");
}

/**
 * Whether a request has several Host headers, so that two readers may disagree about its host.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 */
export function hasManyHosts(rawHeaders: readonly string[]): boolean {
  const isHost = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === "host";
  return rawHeaders.filter(isHost).length > 1;
}

/**
 * Whether a request that may change something was made by a page of another origin.
 *
 * @see https://fetch.spec.whatwg.org/#origin-header
 * @see https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-site-header
 */
export function isForged(method: string, headers: IncomingHttpHeaders, host: string): boolean {
  if (SAFE_METHODS.has(method)) return false;
  const { origin } = headers;
  if (origin !== undefined) return origin.toLowerCase() !== `http://${host.toLowerCase()}`;
  const site = headers["sec-fetch-site"] ?? "none";
  return site !== "none" && site !== "same-origin";
}
