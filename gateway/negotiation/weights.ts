import { MemberScanner } from "./member_scanner.ts";

/**
 * Reads the members of a header of weighted preferences (RFC 9110 section 12.4.2).
 *
 * @param header The value of the header.
 * @param nameOf Reads the name of the member at which the scanner stands.
 * @returns The weights from 0 to 1000 by name, in the order of the header. A repeated name keeps its first place and its
 * highest weight.
 */
export function readWeights(
  header: string,
  nameOf: (scanner: MemberScanner) => string,
): Map<string, number> {
  const weights = new Map<string, number>();
  const scanner = new MemberScanner(header);
  while (scanner.next()) {
    const name = nameOf(scanner);
    weights.set(name, Math.max(scanner.weight, weights.get(name) ?? 0));
  }
  return weights;
}
