import { xmlResponse } from "../responses.ts";
import { ServiceError } from "../service_call.ts";

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

/** Lists the parameters, or the items of a list. */
export function membersOf(value: unknown): Iterable<readonly [string, string | Parameters]> {
  if (!(value instanceof Map)) return [];
  const items = value.size === 1 ? value.get("member") : undefined;
  return items instanceof Map ? items : value;
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

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const invalidParameter = (problem: string): ServiceError =>
  new ServiceError("InvalidParameter", `Invalid parameter: ${problem}`);

/** The error for a wrong message attribute. */
export const invalidAttribute = (problem: string): ServiceError =>
  new ServiceError("ParameterValueInvalid", problem);

export const notFound = (what: string): ServiceError =>
  new ServiceError("NotFound", `${what} does not exist`, "NotFound", 404);

export function snsFailure({ code, message, status }: ServiceError): Response {
  const Type = status < 500 ? "Sender" : "Receiver";
  const RequestId = crypto.randomUUID();
  const error = { Error: { Type, Code: code, Message: message }, RequestId };
  return xmlResponse({ ErrorResponse: error }, status);
}
