import type { FnContext } from "../function/context.ts";
import { invalid, isPlainObject } from "../function/read.ts";
import type { FnProxyEvent } from "./event/proxy_event.ts";
import { JSON_TYPE, readType } from "./negotiation/choose_type.ts";
import type { Coding } from "./response/compress.ts";
import { checkCors, type CorsOptions } from "./response/cors.ts";
import {
  CLIENT_MESSAGE,
  type ClientErrorLevel,
  problemTransformer,
} from "./response/error_response.ts";
import type { FinishOptions } from "./response/finish.ts";
import { type HeaderMap, type HeaderValues, readHeaders } from "./response/headers.ts";
import {
  type CustomTransformers,
  type Menu,
  readMenu,
  type Transformer,
} from "./response/transformer.ts";

/** How a handler compresses its responses. */
export interface CompressionOptions {
  /** The least number of bytes that is compressed; 1,000 unless given. */
  readonly from?: number | undefined;
  /** The content codings to choose from, the best first; only gzip unless given, which costs no cold start. */
  readonly codings?: readonly Coding[] | undefined;
}

/** The options that `proxyHandler()` and `fetchHandler()` share. */
export interface HandlerOptions {
  /**
   * Header fields to add to every response, errors included; the response's own fields win. A function is called
   * for each request. An array makes several fields of one name.
   */
  readonly extraHeaders?:
    | HeaderValues
    | ((event: FnProxyEvent, context: FnContext) => HeaderValues)
    | undefined;
  /** The message for the client if the server fails; unless given, it says only that the server failed. */
  readonly clientMessage?: string | undefined;
  /** Which pages of other origins may use the function. Preflights are answered before the route. */
  readonly cors?: CorsOptions | undefined;
  /** Whether to tag responses to GET and HEAD (`ETag`) and to evaluate the preconditions of these requests. */
  readonly etag?: boolean | undefined;
  /** How responses are compressed; `false` for not at all. */
  readonly compression?: false | CompressionOptions | undefined;
  /** The indentation of JSON; 2 unless given. */
  readonly indent?: number | undefined;
  /** Whether errors are `application/problem+json` (RFC 9457) wherever they would be JSON. */
  readonly problemDetails?: boolean | undefined;
  /**
   * Is called with every thrown value. Its result, an `HttpError` or anything that a route may return, takes the place
   * of the error; `undefined` keeps the error. The event is absent if it is not an object.
   */
  readonly onError?:
    | ((error: unknown, event: FnProxyEvent | undefined, context: FnContext) => unknown)
    | undefined;
  /**
   * Whether responses are streamed: for function URLs that are set to `RESPONSE_STREAM` and REST APIs that are set to
   * `STREAM`, on the custom runtime of this library and on the managed Node.js runtime. Content that a route streams is
   * compressed and sent chunk by chunk.
   */
  readonly stream?: boolean | undefined;
  /** The level of the log record of a client error; `"error"` unless given. */
  readonly clientErrorLevel?: ClientErrorLevel | undefined;
}

/** The options about the types of payloads; `ProxyHandlerOptions` describes them. */
interface PayloadOptions {
  readonly customTransformers?: CustomTransformers<never> | undefined;
  readonly types?: readonly string[] | undefined;
}

/** The options of a handler after the checks. */
export interface CheckedOptions extends FinishOptions {
  /** The types to negotiate before the route runs; `undefined` if nothing is negotiated. */
  readonly offered: readonly string[] | undefined;
  /** Whether the menus differ from the menus of a handler without options. */
  readonly hasOwnMenus: boolean;
  /** The types of payloads. */
  readonly payloads: Menu;
  /** The types of errors, and JSON alone for an error that can have none of these types. */
  readonly errors: Menu & { readonly refusal: Menu };
  readonly extraHeaders: HeaderMap | ((event: FnProxyEvent, context: FnContext) => HeaderValues);
  readonly clientMessage: string;
  readonly cors: CorsOptions | undefined;
  readonly onError?: HandlerOptions["onError"];
  readonly stream?: boolean | undefined;
  readonly clientErrorLevel: ClientErrorLevel;
}

/** The types of the options, as `typeof` names them. The last two are only for handlers that negotiate. */
const TYPES: Readonly<Record<string, string>> = {
  extraHeaders: "object or function",
  clientMessage: "string",
  cors: "object",
  etag: "boolean",
  stream: "boolean",
  compression: "object or boolean",
  indent: "number",
  problemDetails: "boolean",
  onError: "function",
  clientErrorLevel: "string",
  customTransformers: "object",
  types: "object",
};

/**
 * Checks the options of a handler.
 *
 * @param options The options; those about the types of payloads only if `isNegotiating`.
 * @param isNegotiating Whether the handler negotiates the types of payloads.
 * @throws {TypeError} If an option is invalid, or if two options contradict each other.
 */
export function readOptions(
  options: HandlerOptions & PayloadOptions,
  isNegotiating: boolean,
): CheckedOptions {
  if (!isPlainObject(options as unknown)) throw invalid("options", "a plain object");
  const names = Object.keys(TYPES).slice(0, isNegotiating ? undefined : -2);
  for (const [name, value] of Object.entries(options)) {
    if (!names.includes(name)) {
      throw new TypeError(
        `Unknown option ${JSON.stringify(name)}: expected one of ${names.join(", ")}`,
      );
    }
    const type = TYPES[name]!;
    const isValid = value === undefined || (value !== null && type.includes(typeof value));
    if (!isValid) throw invalid(`option ${name}`, `a value of the type ${type}`);
  }
  const { cors, types, indent = 2, problemDetails, clientErrorLevel = "error" } = options;
  if (!Number.isInteger(indent) || indent < 0 || indent > 10) {
    throw invalid("option indent", "a whole number from 0 to 10");
  }
  if (!["error", "warn", "info", "off"].includes(clientErrorLevel)) {
    throw invalid("option clientErrorLevel", "error, warn, info or off");
  }
  if (types && !(Array.isArray(types) && types.length > 0)) {
    throw invalid("option types", "an array of media types");
  }
  const problem: CustomTransformers = problemDetails
    ? { [JSON_TYPE]: problemTransformer as Transformer }
    : {};
  const json: Menu = { types: [JSON_TYPE], transformers: problem, indent, fallback: JSON_TYPE };
  const menu = { ...readMenu(options.customTransformers, indent), refusal: json };
  const offered = types?.map((type) => readType(type, "item", "types")) ?? menu.types;
  return {
    ...options,
    offered: isNegotiating ? offered : undefined,
    // To remember the menus of each event takes a tenth of a small reply.
    hasOwnMenus: Boolean(options.customTransformers || types || problemDetails || indent !== 2),
    payloads: { ...menu, types: offered.filter((type) => menu.types.includes(type)) },
    errors: {
      ...menu,
      transformers: { ...menu.transformers, ...problem },
      fallback: types || !isNegotiating ? JSON_TYPE : undefined,
    },
    extraHeaders: readExtraHeaders(options),
    clientMessage: options.clientMessage ?? CLIENT_MESSAGE,
    cors: cors && checkCors(cors),
    clientErrorLevel,
    compression: readCompression(options.compression),
  };
}

function readExtraHeaders({ extraHeaders, cors }: HandlerOptions): CheckedOptions["extraHeaders"] {
  if (typeof extraHeaders === "function") return extraHeaders;
  const fields = readHeaders(extraHeaders);
  const twice = cors && [...fields.keys()].find((name) => name.startsWith("access-control-"));
  if (!twice) return fields;
  throw new TypeError(`Contradicting options: cors and the extra header "${twice}"`);
}

function readCompression(given: HandlerOptions["compression"]): CheckedOptions["compression"] {
  if (given === false) return { from: 0, codings: [] };
  const { from = 1000, codings = ["gzip"] } = given ?? {};
  const areKnown = (given as unknown) !== true && Array.isArray(codings) &&
    codings.every((coding) => ["gzip", "br", "zstd"].includes(coding));
  if (typeof from === "number" && from >= 0 && areKnown) return { from, codings };
  const expected = "from as a number of bytes, and codings of zstd, br and gzip";
  throw invalid("option compression", expected);
}
