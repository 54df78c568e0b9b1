/** Stand-in for `@std/http/negotiation` on the npm package `negotiator`, for networks without JSR. */
// @ts-types="npm:@types/negotiator@0.6.5"
import Negotiator from "npm:negotiator@1.1.0";

type Carrier = { headers: Headers };

function negotiator({ headers }: Carrier): Negotiator {
  return new Negotiator({ headers: Object.fromEntries(headers) });
}

export function accepts(request: Carrier, ...types: string[]): string | undefined {
  return negotiator(request).mediaType(types);
}

export function acceptsEncodings(request: Carrier): string[] {
  return negotiator(request).encodings();
}

export function acceptsLanguages(request: Carrier): string[] {
  return negotiator(request).languages();
}
