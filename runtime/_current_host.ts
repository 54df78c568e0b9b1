import { denoHost } from "./_deno.ts";
import type { Host } from "./_host.ts";
import { nodeHost } from "./_node.ts";

/** The host of this process. */
export function currentHost(): Host {
  return denoHost() ?? nodeHost();
}
