import { availableTypes } from "../negotiation/choose_type.ts";
import { type Fields, readExtraHeaders } from "./extra_headers.ts";
import type { CustomTransformers } from "./transformer.ts";

/** What responses are made with: checked once, for as many as there are. */
export interface Settings {
  /** The media types that they may have. */
  readonly types: readonly string[];
  /** Where the transformers of these are, `application/json` aside. */
  readonly customTransformers: CustomTransformers | undefined;
  /** The header fields to add. */
  readonly extra: Fields;
}

/**
 * Checks what responses are made with.
 *
 * @throws {TypeError} If the transformers or an extra header are unfit.
 */
export function readSettings(
  customTransformers: CustomTransformers<never> | undefined,
  extraHeaders: Readonly<Record<string, string>> | undefined,
): Settings {
  const extra = readExtraHeaders(extraHeaders);
  const types = availableTypes(customTransformers);
  // What they take is the business of whoever gave payload and transformers, whose types go together.
  return {
    types,
    customTransformers: customTransformers as CustomTransformers | undefined,
    extra,
  };
}

/** The same, but for JSON alone. */
export function withoutTransformers({ extra }: Settings): Settings {
  return { types: availableTypes(), customTransformers: undefined, extra };
}
