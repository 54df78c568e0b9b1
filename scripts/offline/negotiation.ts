/** Stand-in for `@std/http/negotiation` on the npm package `negotiator`, for networks that do not reach its registry. */
// @ts-types="npm:@types/negotiator@0.6.5"
import Negotiator from "npm:negotiator@1.1.0";

type Carrier = { headers: Headers };

function negotiator({ headers }: Carrier): Negotiator {
  return new Negotiator({ headers: Object.fromEntries(headers) });
}

export function accepts(request: Carrier): string[];
export function accepts(request: Carrier, ...types: string[]): string | undefined;
export function accepts(request: Carrier, ...types: string[]): string | string[] | undefined {
  return types.length === 0
    ? negotiator(request).mediaTypes()
    : negotiator(request).mediaType(types);
}

export function acceptsEncodings(request: Carrier): string[];
export function acceptsEncodings(request: Carrier, ...encodings: string[]): string | undefined;
export function acceptsEncodings(
  request: Carrier,
  ...encodings: string[]
): string | string[] | undefined {
  return encodings.length === 0
    ? negotiator(request).encodings()
    : negotiator(request).encoding(encodings);
}

export function acceptsLanguages(request: Carrier): string[];
export function acceptsLanguages(request: Carrier, ...languages: string[]): string | undefined;
export function acceptsLanguages(
  request: Carrier,
  ...languages: string[]
): string | string[] | undefined {
  return languages.length === 0
    ? negotiator(request).languages()
    : negotiator(request).language(languages);
}
