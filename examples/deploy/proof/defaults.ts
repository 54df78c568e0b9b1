import { assertEquals } from "@std/assert";
import { parseManifest } from "../../../cli/manifest/manifest.ts";
import type { Checkout } from "./checkout.ts";

/** One function with the least that a manifest must say, one with more. */
const SPARSE = JSON.stringify({
  name: "sparse",
  stage: "test",
  functions: {
    least: { module: "least.ts" },
    most: {
      module: "most.ts",
      handler: "main",
      description: "Does all",
      memory: 512,
      timeout: 30,
      environment: { MODE: "fast" },
      triggers: { routes: [{ method: "GET", path: "/" }], schedules: ["rate(1 hour)"] },
    },
  },
});

/** The functions of a manifest that leaves out what it may, as Terraform sees them. */
export async function terraformDefaults(checkout: Checkout): Promise<unknown> {
  await Deno.writeTextFile(`${checkout.folder}/sparse.json`, SPARSE);
  const expression = "jsonencode({for key, f in local.functions : key => " +
    '{for name, value in f : name => value if name != "zip"}})\n';
  const { code, output } = await checkout.terraform(
    ["console", "-var=region=eu-west-1", "-var=manifest=../../sparse.json"],
    { piped: expression },
  );
  assertEquals(code, 0, output);
  const json = output.split("\n").find((line) => line.startsWith(`"{`)) ?? "";
  return JSON.parse(JSON.parse(json));
}

/** The same, as the local platform sees them. */
export function manifestDefaults(): unknown {
  const { functions } = parseManifest(SPARSE, "sparse.json");
  return Object.fromEntries(
    Object.entries(functions).map(([key, f]) => [key, {
      name: `sparse-${key}`,
      handler: `index.${f.handler}`,
      description: f.description,
      memory: f.memory,
      timeout: f.timeout,
      environment: f.environment,
      routes: f.triggers.routes.map(({ method, path }) => ({ method, path })),
      schedule: f.triggers.schedules[0]?.expression ?? null,
      bucket: f.triggers.buckets[0] ?? null,
      topic: f.triggers.topics[0] ?? null,
    }]),
  );
}
