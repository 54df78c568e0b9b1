import { invalid, isPlainObject } from "../../function/read.ts";

/** Header fields as a caller gives them; an array makes several fields of one name. */
export type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/;

/** Whether a text is a token (RFC 9110 §5.6.2), as names of header fields and methods are. */
export function isToken(text: unknown): boolean {
  return typeof text === "string" && TOKEN.test(text);
}

/** Whether a text can be the value of a header: a line break or NUL would end the field or the response (RFC 9110 §5.5). */
export function isFieldValue(text: unknown): text is string {
  return typeof text === "string" && !/[\r\n\0]/.test(text);
}

/** Throws if a text cannot be the value of a header. */
export function checkValue(what: string, value: unknown): asserts value is string {
  if (!isFieldValue(value)) throw invalid(what, "a string without CR, LF and NUL");
}

/**
 * The header fields of an answer. The methods are those of the standard `Headers`, but names keep their letter case. The
 * iterator gives each name with all its values.
 */
export class AnswerHeaders {
  readonly #fields = new Map<string, readonly [name: string, values: readonly string[]]>();

  /** The value of a field, in any case; several values are joined. An absent field has `null`. */
  get(name: string): string | null {
    const values = this.#fields.get(name.toLowerCase())?.[1];
    return values ? values.length === 1 ? values[0]! : values.join(", ") : null;
  }

  /** Whether there is a field of this name, in any case. */
  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase());
  }

  /** The values of `Set-Cookie`, one for each cookie. */
  getSetCookie(): string[] {
    return [...this.#fields.get("set-cookie")?.[1] ?? []];
  }

  /**
   * Sets a field to one value. The field keeps the spelling of its name.
   *
   * @throws {TypeError} If the name is not a token, or the value is not a string or has CR, LF or NUL.
   */
  set(name: string, value: string): void {
    this.#put(name, value, [value]);
  }

  /** Adds a value to a field; throws as `set()`. */
  append(name: string, value: string): void {
    this.#put(name, value, [...this.#fields.get(name.toLowerCase())?.[1] ?? [], value]);
  }

  /** Removes a field. */
  delete(name: string): void {
    this.#fields.delete(name.toLowerCase());
  }

  /** Adds names of request headers to `Vary`, each name once (RFC 9110 §12.5.5). `*` stays alone. */
  vary(names: string): void {
    const before = this.get("vary");
    if (!before) return this.set("Vary", names);
    if (!/[*,]/.test(before + names) && before.toLowerCase() !== names.toLowerCase()) {
      return this.set("Vary", `${before}, ${names}`);
    }
    const folded: string[] = [];
    const all = `${before},${names}`.split(",").map((name) => name.trim()).filter((name) => {
      const isNew = name !== "" && !folded.includes(name.toLowerCase());
      folded.push(name.toLowerCase());
      return isNew;
    });
    this.set("Vary", all.includes("*") ? "*" : all.join(", "));
  }

  /** The fields: each name with its values. */
  [Symbol.iterator](): IterableIterator<readonly [name: string, values: readonly string[]]> {
    return this.#fields.values();
  }

  #put(name: string, value: string, values: readonly string[]): void {
    const key = String(name).toLowerCase();
    const known = this.#fields.get(key)?.[0];
    if (!known && !isToken(name)) throw invalid(`header name ${JSON.stringify(name)}`, "a token");
    if (!isFieldValue(value)) checkValue(`value of the header "${name}"`, value);
    this.#fields.set(key, [known ?? name, values]);
  }
}

/**
 * Checks header fields that a caller gives.
 *
 * @returns The fields. If two names differ only in case, the last one counts.
 * @throws {TypeError} If the headers are not a plain object, a name is not a token (RFC 9110 §5.6.2), or a value is not
 * a string, or has CR, LF or NUL.
 */
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
    else if (name.toLowerCase() === "vary") headers.vary(values.join());
  }
  return headers;
}
