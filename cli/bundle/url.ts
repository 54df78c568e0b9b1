import { fileURLToPath } from "node:url";

/** The path of a file URL; any other URL as it is, which Deno takes as well. */
export function fromFileUrl(url: URL): string {
  return url.protocol === "file:" ? fileURLToPath(url) : url.href;
}
