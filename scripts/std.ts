/**
 * Prints the flags of `deno test`: a limit for the time of each test, and, if JSR cannot be reached, an import map to the
 * stand-ins in `offline/`. The tasks use it: `deno test … $(deno run -A scripts/std.ts)`. `deno check` takes the same flags.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import config from "../.ci/deno.json" with { type: "json" };

const root = new URL("../", import.meta.url);

/** The stand-in for each module that the project takes from JSR. */
export const STAND_INS: Record<string, string> = {
  "@std/assert": "scripts/offline/assert.ts",
  "@std/encoding/base64": "scripts/offline/oracles.ts",
  "@std/http/negotiation": "scripts/offline/oracles.ts",
  "@std/http/status": "scripts/offline/oracles.ts",
  "@deno/dnt": "scripts/offline/oracles.ts",
};

/** The flags for a network without JSR: the stand-ins, and the npm packages as `.ci/deno.json` names them. */
export function offlineFlags(): string[] {
  const imports = Object.fromEntries([
    ...Object.entries(config.imports).filter(([, target]) => !target.startsWith("jsr:")),
    ...Object.entries(STAND_INS).map(([name, file]) => [name, new URL(file, root).href]),
  ]);
  const map = new URL(".mate/import_map.json", root); // Deno 2.9 panics on a data: URL in a workspace
  Deno.mkdirSync(new URL(".", map), { recursive: true });
  Deno.writeTextFileSync(map, JSON.stringify({ imports }));
  return ["--no-lock", `--import-map=${fileURLToPath(map)}`];
}

/** The base URL of JSR. `deno` reads the same variable. */
export const REGISTRY: string = Deno.env.get("JSR_URL") ?? "https://jsr.io";

/** Whether the registry with this base URL can be reached. */
export async function isReachable(registry: string): Promise<boolean> {
  try {
    const response = await fetch(new URL("/@std/assert/meta.json", registry), {
      signal: AbortSignal.timeout(3_000),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** All flags. A line on stderr says if they lead to the stand-ins. */
export async function testFlags(): Promise<readonly string[]> {
  const flags = [`--preload=${fileURLToPath(new URL("scripts/time_limit.ts", root))}`];
  if (await isReachable(REGISTRY)) return flags;
  console.error(`${REGISTRY} cannot be reached: testing with the stand-ins in scripts/offline/`);
  return [...flags, ...offlineFlags()];
}

if (import.meta.main) console.log((await testFlags()).join(" "));
