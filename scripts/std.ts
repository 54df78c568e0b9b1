/**
 * Prints the flags that let `deno` resolve the tests' libraries on this network: none where the
 * registry of the `@std` packages answers, else an import map onto the stand-ins in `offline/`.
 *
 * Used by the tasks: `deno test … $(deno run -A scripts/std.ts)`.
 *
 * @module
 */
import cli from "../cli/deno.json" with { type: "json" };
import config from "../deno.json" with { type: "json" };
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);

/** The stand-in for each module that the project takes from JSR. */
export const STAND_INS: Record<string, string> = {
  "@deno/dnt": "scripts/offline/dnt.ts",
  "@std/assert": "scripts/offline/assert.ts",
  "@std/encoding/base64": "scripts/offline/base64.ts",
  "@std/http/negotiation": "scripts/offline/negotiation.ts",
  "@std/http/status": "scripts/offline/status.ts",
};

/** The flags for a network that does not reach the registry: the stand-ins, and the npm packages as declared. */
export function offlineFlags(): string[] {
  const imports = Object.fromEntries([
    ...Object.entries({ ...config.imports, ...cli.imports }).filter(([, target]) =>
      !target.startsWith("jsr:")
    ),
    ...Object.entries(STAND_INS).map(([name, file]) => [name, new URL(file, root).href]),
  ]);
  const map = new URL(".mate/import_map.json", root); // a data: URL makes Deno 2.9 panic in a workspace
  Deno.mkdirSync(new URL(".", map), { recursive: true });
  Deno.writeTextFileSync(map, JSON.stringify({ imports }));
  return ["--no-lock", `--import-map=${fileURLToPath(map)}`];
}

/** The base URL of the registry, as `deno` itself reads it. */
export const REGISTRY: string = Deno.env.get("JSR_URL") ?? "https://jsr.io";

/**
 * Whether a registry can be reached.
 *
 * @param registry Its base URL.
 */
export async function isReachable(registry: string): Promise<boolean> {
  try {
    const response = await fetch(new URL("/@std/assert/meta.json", registry), {
      signal: AbortSignal.timeout(3_000),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // whatever the reason, the stand-ins serve
  }
}

if (import.meta.main) {
  if (!await isReachable(REGISTRY)) {
    console.error(`${REGISTRY} cannot be reached: testing with the stand-ins in scripts/offline/`);
    console.log(offlineFlags().join(" "));
  }
}
