import { checkNames, invalid } from "../function/arguments.ts";
import { readEnvironment } from "../logger/state.ts";

/** The options of {@linkcode toFetch}. */
export interface FetchOptions {
  /**
   * How many proxies stand before the program, each of which adds the address of its client to `X-Forwarded-For`: a whole
   * number from 0. With 0, the address of the connection counts, because a client can send the field, too. The default is 1
   * in a Web Function of AWS Lambda, and 0 elsewhere. Behind Amazon CloudFront and AWS Lambda it is 2, and only if nobody
   * else can reach the endpoint.
   */
  readonly proxies?: number | undefined;
  /** The most bytes of a body, a whole number from 0. The default is 6 MiB (6,291,456). */
  readonly maxBody?: number | undefined;
  /** The seconds that a request may take, above 0; `getRemainingTimeInMillis()` counts down. The default is 900. */
  readonly timeout?: number | undefined;
}

/** The options after the checks, and what the environment says. */
export interface FetchSettings {
  readonly proxies: number;
  readonly maxBody: number;
  readonly timeout: number;
  /** The address on which AWS Lambda sends requests; `undefined` elsewhere. */
  readonly endpoint: string | undefined;
  readonly functionName: string;
}

/** The variable by which AWS Lambda tells a Web Function where to listen. */
export const ENDPOINT = "AWS_LAMBDA_HTTP_ENDPOINT";

export const FETCH_OPTIONS: readonly string[] = ["proxies", "maxBody", "timeout"];

/** Throws if an option is not a whole number from 0. */
export function checkWhole(name: string, value: number, most = Infinity): void {
  if (Number.isInteger(value) && value >= 0 && value <= most) return;
  const range = most < Infinity ? `from 0 to ${most}` : "from 0";
  throw invalid(`option ${name}`, `a whole number ${range}`);
}

/**
 * Checks options, and reads the environment.
 *
 * @param names The names of all options.
 * @throws {TypeError} If an option is unknown or wrong.
 */
export function readSettings(
  options: FetchOptions,
  names: readonly string[] = FETCH_OPTIONS,
): FetchSettings {
  checkNames(options, names);
  const endpoint = readEnvironment(ENDPOINT) || undefined;
  const { proxies = endpoint ? 1 : 0, maxBody = 6_291_456, timeout = 900 } = options;
  checkWhole("proxies", proxies);
  checkWhole("maxBody", maxBody);
  if (!(typeof timeout === "number" && timeout > 0)) {
    throw invalid("option timeout", "a number of seconds above 0");
  }
  const functionName = readEnvironment("MATE_FUNCTION_NAME") ||
    readEnvironment("AWS_LAMBDA_FUNCTION_NAME") || "";
  return { proxies, maxBody, timeout, endpoint, functionName };
}
