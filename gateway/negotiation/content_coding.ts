import { readMembers } from "./members.ts";

/**
 * Chooses the content coding of a response (RFC 9110 section 12.5.3).
 *
 * @param acceptEncoding The value of `Accept-Encoding`. Without this header, no coding is chosen.
 * @param codings The codings that are available, the best coding first.
 * @returns The available coding that the client prefers, or `undefined` if the client prefers the content as it is.
 */
export function chooseCoding<Coding extends string>(
  acceptEncoding: string | undefined,
  codings: readonly Coding[],
): Coding | undefined {
  const members = readMembers(acceptEncoding ?? "", toCoding);
  const weightOf = (coding: string) => members.find(({ value }) => value === coding)?.weight;
  let best: Coding | undefined;
  let bestWeight = 0;
  for (const coding of codings) {
    const weight = weightOf(coding) ?? weightOf("*") ?? 0;
    if (weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return bestWeight >= (weightOf("identity") ?? 0) ? best : undefined;
}

/** The old name of gzip counts as gzip (RFC 9110 section 8.4.1.3). */
function toCoding(name: string): string {
  return name.toLowerCase().replace(/^x-gzip$/, "gzip");
}
