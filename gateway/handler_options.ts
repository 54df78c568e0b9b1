import { checkNames, invalid } from "../function/read.ts";
import type { Middleware } from "./middleware/middleware.ts";
import { readUse } from "./middleware/with_middleware.ts";
import { checkType } from "./negotiation/choose_type.ts";
import { CLIENT_MESSAGE } from "./response/error_response.ts";
import type { AnswerSettings, ClientErrorLevel } from "./response/exchange.ts";
import { headersOf, type HeaderValues } from "./response/headers.ts";
import { type CustomTransformers, readMenu } from "./response/transformer.ts";

/** The options that all handlers share. */
export interface HandlerOptions {
  /** Middleware around the route; the first is the outermost. */
  readonly use?: readonly Middleware[] | undefined;
  /**
   * Header fields to add to every response, errors included; the response's own fields win. An array makes several
   * fields of one name.
   */
  readonly extraHeaders?: HeaderValues | undefined;
  /** The message for the client if the server fails; unless given, it says only that the server failed. */
  readonly clientMessage?: string | undefined;
  /** The indentation of JSON; 2 unless given. */
  readonly indent?: number | undefined;
  /** The level of the log record of a client error; `"error"` unless given. */
  readonly clientErrorLevel?: ClientErrorLevel | undefined;
}

/** The options about the types of payloads; `ProxyHandlerOptions` describes them. */
export interface PayloadOptions {
  readonly customTransformers?: CustomTransformers<never> | undefined;
  readonly types?: readonly string[] | undefined;
}

/** The options of a handler after the checks. */
export interface HandlerSettings extends Omit<AnswerSettings, "open"> {
  readonly use: readonly Middleware[];
  /** The types to negotiate before the route runs. */
  readonly offered: readonly string[];
}

const NAMES = ["use", "extraHeaders", "clientMessage", "indent", "clientErrorLevel"];

/** The names of the further options of a handler that negotiates the types of payloads. */
export const PAYLOAD_NAMES: readonly string[] = ["customTransformers", "types"];

/**
 * Checks the options of a handler.
 *
 * @param names The names of the options that the handler has.
 * @throws {TypeError} If an option is invalid.
 */
export function readOptions(
  options: HandlerOptions & PayloadOptions,
  further: readonly string[] = [],
): HandlerSettings {
  checkNames(options, [...NAMES, ...further]);
  const { use = [], types, indent = 2, clientErrorLevel = "error", extraHeaders } = options;
  const { clientMessage = CLIENT_MESSAGE } = options;
  if (typeof clientMessage !== "string") throw invalid("option clientMessage", "a string");
  if (!Number.isInteger(indent) || indent < 0 || indent > 10) {
    throw invalid("option indent", "a whole number from 0 to 10");
  }
  if (!["error", "warn", "info", "off"].includes(clientErrorLevel)) {
    throw invalid("option clientErrorLevel", "error, warn, info or off");
  }
  if (types && !(Array.isArray(types) && types.length > 0)) {
    throw invalid("option types", "an array of media types");
  }
  const errors = readMenu(options.customTransformers, indent);
  const offered = types?.map((type) => checkType(type, "item", "types")) ?? errors.types;
  return {
    use: readUse(use),
    offered,
    payloads: { ...errors, types: offered.filter((type) => errors.types.includes(type)) },
    errors,
    extraHeaders: headersOf(extraHeaders),
    clientMessage,
    clientErrorLevel,
  };
}
