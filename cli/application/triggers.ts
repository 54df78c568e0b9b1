import { createHash } from "node:crypto";
import { triggersOf } from "../manifest/conflict.ts";
import type { Manifest, ScheduleTrigger, Triggers } from "../manifest/types.ts";

type Kind = Exclude<keyof Triggers, "url">;

/** Lists the triggers of a kind, each with the name of its function. */
export function listenersOf<K extends Kind>(
  manifest: Manifest,
  kind: K,
): readonly (Triggers[K][number] & { readonly function: string })[] {
  return triggersOf(manifest, kind).map(({ owner, trigger }) => ({ function: owner, ...trigger }));
}

/** A part of a name that depends on the content of a trigger, and not on its position. */
export function hash(trigger: unknown): string {
  return createHash("sha256").update(JSON.stringify(trigger)).digest("hex").slice(0, 8);
}

/** Names the rule or the schedule of a function's trigger. */
export function triggerName(
  { name }: { readonly name: string },
  trigger: Triggers["schedules" | "events"][number],
): string {
  return `${name}-${hash(trigger)}`;
}

/**
 * Tells whether a schedule is a rule of Amazon EventBridge. The event of a rule has a source, a time and the rule, but a rule
 * knows only UTC. So a schedule with another time zone is a schedule of EventBridge Scheduler.
 */
export function isRule({ timezone }: ScheduleTrigger): boolean {
  return timezone === "UTC";
}
