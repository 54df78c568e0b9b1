import { denoHost } from "./deno.ts";
import type { Host } from "./host.ts";
import { nodeHost } from "./node.ts";

/** The host of this process. */
export function currentHost(): Host {
  return denoHost() ?? nodeHost();
}
