import { type HttpResponse, isBuilt, markBuilt } from "../gateway/response/http_response.ts";
import { isReply, reply } from "../gateway/response/reply.ts";
import { toJsonValue } from "./json.ts";

/** A result as it is kept. The kind says what to make of the value again. */
interface Kept {
  readonly kind?: "reply" | "response";
  readonly value?: unknown;
}

/**
 * Writes the result of the work as text.
 *
 * @returns The text; `undefined` for `undefined`.
 * @throws {TypeError} If the result would come back changed.
 */
export function writeResult(result: unknown): string | undefined {
  if (result === undefined) return undefined;
  const kept: Kept = isReply(result)
    ? { kind: "reply", value: toJsonValue(withoutUndefined(result), "reply") }
    : { ...isBuilt(result) && { kind: "response" }, value: toJsonValue(result, "result") };
  return JSON.stringify(kept);
}

/** Makes the result again. */
export function readResult(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const { kind, value } = JSON.parse(text) as Kept;
  if (kind === "response") return markBuilt(value as HttpResponse);
  if (kind !== "reply") return value;
  const { status, payload, ...options } = value as { status: number; payload?: unknown };
  return reply(status, payload, options);
}

/** The members of a reply that are given. */
function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}
