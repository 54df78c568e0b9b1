import { invalidParameter } from "./errors.ts";

/** The parameters of a request in the query protocol of AWS: `a.member.1.b=c` is a text in a tree. */
export type Parameters = ReadonlyMap<string, string | Parameters>;

/** Reads the form of a request. A name that comes twice is refused, because readers could differ about its value. */
export function readForm(body: string): Parameters {
  const root = new Map<string, string | Parameters>();
  for (const [name, value] of new URLSearchParams(body)) {
    const keys = name.split(".");
    const last = keys.pop()!;
    let node = root;
    for (const key of keys) {
      const next = node.get(key) ?? new Map();
      if (typeof next === "string") throw invalidParameter(`"${name}" is repeated`);
      node.set(key, next);
      node = next as typeof root;
    }
    if (node.has(last)) throw invalidParameter(`"${name}" is repeated`);
    node.set(last, value);
  }
  return root;
}

/** Tells whether a client speaks the query protocol, as clients of Amazon SNS and of AWS IAM do. */
export function isForm(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false;
}

export function textOf(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name);
  if (value === undefined || typeof value === "string") return value;
  throw invalidParameter(`${name} must be a text`);
}

/** Reads the items of a list, such as `Entries.member.1` and `Attributes.entry.1`, in the order of their numbers. */
export function listOf(parameters: Parameters, name: string, item: string): readonly Parameters[] {
  const list = parameters.get(name);
  const members = list instanceof Map ? list.get(item) : undefined;
  if (list === undefined || list === "") return [];
  if (!(members instanceof Map)) throw invalidParameter(`${name} must be a list`);
  return [...members].sort(([a], [b]) => Number(a) - Number(b)).map(([index, member]) => {
    if (/^[1-9]\d{0,4}$/.test(index) && member instanceof Map) return member;
    throw invalidParameter(`${name} must be a list`);
  });
}

/** Reads the entries of a map whose values are texts. */
export function textsByName(parameters: Parameters, name: string): Record<string, string> {
  return Object.fromEntries(
    listOf(parameters, name, "entry").map((entry) => [
      textOf(entry, "key") ?? "",
      textOf(entry, "value") ?? "",
    ]),
  );
}
