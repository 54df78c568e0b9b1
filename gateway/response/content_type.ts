import { availableTypes, chooseType } from "../negotiation/choose_type.ts";
import { findHeader } from "../event/headers.ts";
import { HttpNotAcceptableError } from "../errors/client_errors.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";
import type { CustomTransformers } from "./transformer.ts";

/** The options of {@linkcode determineContentType}. */
export interface NegotiationOptions {
  /** Transformers by the media type that they make, besides `application/json`. */
  readonly customTransformers?: CustomTransformers<never> | undefined;
}

/**
 * Chooses the media type of the response by the `Accept` header (RFC 9110 §12.5.1).
 *
 * Each type has the quality of the most specific range that matches the type. Parameters other than the weight do not
 * narrow a range. The highest quality wins, then the more specific match, then the order in the header, then
 * `application/json`, then the order of the transformers. Without the header, any type is acceptable.
 *
 * A transformer of a range, such as `image/*`, serves a request that accepts that very range. Then the result is the
 * range, and the transformer names the type.
 *
 * @param event The request.
 * @param options The transformers of other types than `application/json`.
 * @returns The type in lower case, without parameters.
 * @throws {HttpNotAcceptableError} If no type is acceptable. The message lists the available types.
 * @throws {CloudEventSpecificationError} If the headers of the event are absent or malformed.
 * @throws {TypeError} If a key of the transformers is not a media type, or if the event is not an `FnProxyEvent`.
 *
 * @example A browser and a program
 * ```ts
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { determineContentType, FnProxyEvent, HttpNotAcceptableError } from "@mate/core/gateway";
 * import { proxyEvent } from "@mate/core/testing";
 *
 * const customTransformers = {
 *   "text/html": (payload: unknown) => [`<p>${payload}</p>`, "text/html; charset=utf-8"] as const,
 * };
 * const accepting = async (Accept: string) =>
 *   new FnProxyEvent(await proxyEvent({ url: "/", headers: { Accept } }));
 *
 * const browser = await accepting("text/html,application/xhtml+xml,application/xml;q=0.9,*\/*;q=0.8");
 * assertEquals(determineContentType(browser, { customTransformers }), "text/html");
 * const program = await accepting("*\/*");
 * assertEquals(determineContentType(program, { customTransformers }), "application/json");
 * const viewer = await accepting("image/png");
 * assertThrows(() => determineContentType(viewer), HttpNotAcceptableError);
 * ```
 */
export function determineContentType(event: FnProxyEvent, options?: NegotiationOptions): string {
  return requireType(event, availableTypes(options?.customTransformers));
}

/**
 * Chooses one of the available types.
 *
 * @throws {HttpNotAcceptableError} If no type is acceptable.
 * @throws {CloudEventSpecificationError} If the headers of the event are absent or malformed.
 */
export function requireType(event: FnProxyEvent, types: readonly string[]): string {
  const type = chooseType(findHeader(event.rawEvent, "accept"), types);
  if (type === undefined) throw new HttpNotAcceptableError(listAvailable(types));
  return type;
}

/** The message for a client that accepts none of the types. */
export function listAvailable(types: readonly string[]): string {
  return `Cannot answer with a type that the client accepts: available are ${types.join(", ")}`;
}
