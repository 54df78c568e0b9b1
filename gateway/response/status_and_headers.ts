import { checkFieldName, checkFieldValue, remember } from "../../function/http.ts";
import { invalid, isPlainObject, quote } from "../../function/arguments.ts";
import { foldName } from "../event/headers.ts";
import type { FnProxyEvent } from "../event/proxy_event.ts";

/** Whether a status is a whole number from the least one to 599. An answer has at least 200, an interim response 100. */
export function isStatus(status: unknown, least: number): boolean {
  return Number.isInteger(status) && least <= (status as number) && (status as number) <= 599;
}

/** Throws if a response cannot have this status. */
export function checkStatus(status: unknown, least: number): void {
  if (isStatus(status, least)) return;
  throw new RangeError(
    `Invalid status ${quote(status)}: expected a whole number from ${least} to 599`,
  );
}

/** Whether a response with this status has no content (RFC 9110 §15). */
export function isBodyless(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

/** Whether the header fields of a response describe a content: its own, or the one that the client has already. */
export function isDescribed(status: number): boolean {
  return !isBodyless(status) || status === 304;
}

/** Header fields as a caller gives them; an array makes several fields of one name. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * The header fields of an answer. The methods are those of the standard `Headers`, but names keep their letter case. The
 * iterator gives each name with all its values.
 */
export class AnswerHeaders {
  readonly #fields = new Map<string, readonly [name: string, values: readonly string[]]>();

  /** The value of a field, in any case; several values are joined. An absent field has `null`. */
  get(name: string): string | null {
    const values = this.#fields.get(foldName(name))?.[1];
    return values ? values.length === 1 ? values[0]! : values.join(", ") : null;
  }

  /** Whether there is a field of this name, in any case. */
  has(name: string): boolean {
    return this.#fields.has(foldName(name));
  }

  /** The values of `Set-Cookie`, one for each cookie. */
  getSetCookie(): string[] {
    return [...this.#fields.get("set-cookie")?.[1] ?? []];
  }

  /**
   * Sets a field to one value. The field keeps the spelling of its name.
   *
   * @throws {TypeError} If the name is not a token, or the value is not a string or has a control character but the tab.
   */
  set(name: string, value: string): void {
    this.#put(name, value, [value]);
  }

  /** Adds a value to a field; throws as `set()`. */
  append(name: string, value: string): void {
    this.#put(name, value, [...this.#fields.get(foldName(name))?.[1] ?? [], value]);
  }

  /** Removes a field. */
  delete(name: string): void {
    this.#fields.delete(foldName(name));
  }

  /**
   * Adds the name of a request header to `Vary`, each name once (RFC 9110 §12.5.5). `*` stays alone.
   *
   * @throws {TypeError} If the name is not a token.
   */
  vary(name: string): void {
    const [spelled, values = []] = this.#fields.get("vary") ?? ["Vary"];
    this.#fields.set("vary", [spelled, [addName(values.join())(name)]]);
  }

  /** The fields: each name with its values. */
  [Symbol.iterator](): IterableIterator<readonly [name: string, values: readonly string[]]> {
    return this.#fields.values();
  }

  #put(name: string, value: string, values: readonly string[]): void {
    const key = foldName(String(name));
    const known = this.#fields.get(key)?.[0];
    if (!known) checkName(name);
    checkFieldValue(value, name);
    this.#fields.set(key, [known ?? name, values]);
  }
}

const checkName = /* @__PURE__ */ remember((name) => {
  checkFieldName(name);
  return true;
});

/** Adds a name to the names in a list. Each name stays once, and `*` stays alone. */
const addName = /* @__PURE__ */ remember((list) =>
  // To remember one text of both would take longer, because that text would be made each time.
  remember((added) => {
    checkFieldName(added);
    const names = new Map<string, string>();
    for (const given of `${list},${added}`.split(",")) {
      const name = given.trim();
      if (name && !names.has(foldName(name))) names.set(foldName(name), name);
    }
    return names.has("*") ? "*" : [...names.values()].join(", ");
  })
);

/** Checks header fields that a caller gives. If two names differ only in case, the last one counts. */
export function headersOf(
  given: HeaderValues = {},
  cookies: readonly string[] = [],
): AnswerHeaders {
  if (!isPlainObject(given)) throw invalid("headers", "a plain object");
  const headers = new AnswerHeaders();
  for (const [name, values] of Object.entries(given)) {
    headers.delete(name);
    for (const value of [values].flat()) headers.append(name, value);
  }
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return headers;
}

/** Adds the fields that an answer does not have. `Vary` gets the names of both. */
export function addFields(headers: AnswerHeaders, extra: AnswerHeaders): AnswerHeaders {
  for (const [name, values] of extra) {
    if (!headers.has(name)) { for (const value of values) headers.append(name, value); }
    else if (name.toLowerCase() === "vary") {
      for (const name of values.join().split(",")) if (name.trim()) headers.vary(name.trim());
    }
  }
  return headers;
}

/**
 * Reads a header of the request that decides about the response. If the response is an error, an unusable header
 * counts as absent, because an error is answered whatever the event.
 */
export function requestHeader(
  event: FnProxyEvent | undefined,
  name: string,
  status: number,
): string | undefined {
  try {
    return event?.header(name);
  } catch (error) {
    if (status < 400) throw error;
    return undefined;
  }
}
