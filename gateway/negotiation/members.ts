import { MemberScanner } from "./member_scanner.ts";

/** One member of a header of weighted preferences. */
export interface Member {
  readonly value: string;
  /** The weight in thousandths, from 0 to 1000. */
  weight: number;
}

/** Up to this number of members, comparing all values takes half the time of hashing them. */
const FEW = 16;

/**
 * Reads the members of a header of weighted preferences (RFC 9110 section 12.4.2), in time linear in its length.
 *
 * @param header The value of the header.
 * @param part The part of each member to read: the whole value, or the name in lower case without parameters.
 * @returns The members in the order of the header. A repeated value keeps its first place and its highest weight.
 */
export function readMembers(header: string, part: "value" | "name"): Member[] {
  const members: Member[] = [];
  let byValue: Map<string, Member> | undefined;
  const scanner = new MemberScanner(header);
  while (scanner.next()) {
    const member = { value: scanner[part](), weight: scanner.weight };
    if (members.length === FEW) byValue ??= new Map(members.map((known) => [known.value, known]));
    const known = byValue
      ? byValue.get(member.value)
      : members.find(({ value }) => value === member.value);
    if (known) known.weight = Math.max(known.weight, member.weight);
    else {
      members.push(member);
      byValue?.set(member.value, member);
    }
  }
  return members;
}
