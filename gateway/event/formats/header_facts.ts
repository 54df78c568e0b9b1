import type { Format } from "./format.ts";

/** The facts of the gateways that send the address, the host and the trace id of a request as headers. */
export const HEADER_FACTS = {
  sourceIp: ["headers", "x-forwarded-for"],
  protocol: null,
  userAgent: ["headers", "user-agent"],
  domainName: ["headers", "host"],
  isPathDecoded: () => false,
  requestId: ["headers", "x-amzn-trace-id"],
  routeKey: () => null,
  claims: null,
  authorizer: () => null,
} satisfies Partial<Format>;
