import { jsonTransformer } from "./json_transformer.ts";
import type { CustomTransformers, Transformer } from "./transformer.ts";

/**
 * Turns a payload into the content of a type that was chosen.
 *
 * @param payload The payload.
 * @param type One of the available types, in lower case.
 * @param customTransformers Where the transformer of the type is, `application/json` aside.
 * @throws {TypeError} If the transformer is no function, or returns something else than content and type.
 */
export function transform(
  payload: unknown,
  type: string,
  customTransformers: CustomTransformers | undefined,
): readonly [content: string | Uint8Array, contentType: string] {
  if (customTransformers === undefined) return jsonTransformer(payload);
  const transformer = findTransformer(customTransformers, type);
  if (typeof transformer !== "function") throw failure(type, "is no function");
  const result: unknown = (transformer as Transformer)(payload);
  if (!Array.isArray(result) || result.length !== 2) {
    throw failure(type, "did not return an array of content and content type");
  }
  const [content, contentType] = result as unknown[];
  if (typeof content !== "string" && !isBytes(content)) {
    throw failure(type, "returned a content that is neither a string nor a Uint8Array");
  }
  if (typeof contentType !== "string" || !/^[^\r\n\0]+$/.test(contentType)) {
    throw failure(
      type,
      `returned ${JSON.stringify(contentType) ?? typeof contentType} as content type`,
    );
  }
  return [content, contentType];
}

/** The transformer of a type, which is available: if no key is it, it is `application/json`. */
function findTransformer(transformers: CustomTransformers, type: string): unknown {
  if (Object.hasOwn(transformers, type)) return transformers[type];
  const key = Object.keys(transformers).find((key) => key.toLowerCase() === type);
  return key === undefined ? jsonTransformer : transformers[key];
}

/** Whether a value is a `Uint8Array`, of this realm or another. */
function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === "[object Uint8Array]" &&
    ArrayBuffer.isView(value);
}

function failure(type: string, problem: string): TypeError {
  return new TypeError(
    `Cannot transform the payload: the transformer of ${JSON.stringify(type)} ${problem}`,
  );
}
