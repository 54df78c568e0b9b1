/** Where the Runtime API is. */
export interface Address {
  /** The name or address to connect to; of an IPv6 address without the brackets. */
  readonly hostname: string;
  /** The TCP port. */
  readonly port: number;
  /** The value of the `Host` field (RFC 9110 §7.2). */
  readonly authority: string;
}

/**
 * Reads the value of `AWS_LAMBDA_RUNTIME_API`: a host and a port, IPv6 addresses in brackets.
 *
 * @throws {TypeError} If it is anything else.
 */
export function parseAddress(text: string): Address {
  const match = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port < 1 || port > 65_535) {
    throw new TypeError(
      `Cannot use AWS_LAMBDA_RUNTIME_API: expected a host and a port such as 127.0.0.1:9001, got ${
        JSON.stringify(text)
      }`,
    );
  }
  return { hostname: match[1] ?? match[2]!, port, authority: text };
}
