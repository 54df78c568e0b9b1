import { readWeights } from "./weights.ts";

/**
 * Chooses the content coding of a response (RFC 9110 section 12.5.3).
 *
 * @param acceptEncoding The value of `Accept-Encoding`. Without this header, no coding is chosen.
 * @param codings The codings that are available, the best coding first.
 * @returns The available coding that the client prefers, or `undefined` if the client prefers the content as it is.
 */
export function chooseCoding(
  acceptEncoding: string | undefined,
  codings: readonly string[],
): string | undefined {
  const weights = readWeights(acceptEncoding ?? "", (scanner) => scanner.name());
  const any = weights.get("*");
  let best: string | undefined;
  let bestWeight = 0;
  for (const coding of codings) {
    const named = Math.max(weights.get(coding) ?? -1, weights.get(`x-${coding}`) ?? -1);
    const weight = named < 0 ? any ?? 0 : named;
    if (weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return bestWeight >= (weights.get("identity") ?? 0) ? best : undefined;
}
