import { isRate } from "../manifest/schedule_expression.ts";
import type { FunctionManifest, Manifest } from "../manifest/manifest.ts";

/**
 * Lists the parts of a manifest that the local platform does not run.
 *
 * @param manifest The manifest.
 * @returns A line for each function with such a part.
 */
export function unsupportedParts(manifest: Manifest): string[] {
  return Object.entries(manifest.functions).flatMap(([name, settings]) => {
    const parts = partsOf(settings);
    return parts.length === 0 ? [] : [`Not on this machine: ${parts.join(", ")} of "${name}"`];
  });
}

function partsOf({ triggers, uses }: FunctionManifest): string[] {
  const { routes, url, schedules, events, topics, queues } = triggers;
  return Object.entries({
    "authorizers of routes": routes.some(({ authorizer }) => authorizer !== undefined),
    "streaming routes": routes.some(({ stream }) => stream),
    "the function URL": url !== undefined,
    "cron schedules": schedules.some(({ expression }) => !isRate(expression)),
    "the input of schedules": schedules.some(({ input }) => input !== undefined),
    "events": events.length > 0,
    "filters of topics": topics.some(({ filter }) => filter !== undefined),
    "queues": queues.length > 0,
    "uses": Object.values(uses).some((resources) => Object.keys(resources).length > 0),
  }).flatMap(([part, isUsed]) => isUsed ? [part] : []);
}
