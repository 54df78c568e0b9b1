import { Buffer } from "node:buffer";

/** What stands in place of a secret. */
export const HIDDEN = "[hidden]";

/** The header fields and parameters with secrets, as a pattern. `cookies` is what an event of payload 2.0 has in place of `cookie`. */
const FIELD =
  "proxy-authorization|authorization|set-cookie|cookies?|x-api-key|x-amz-security-token|x-amz-signature";

const IS_FIELD = new RegExp(`^(?:${FIELD})$`, "i");

/** A field and its value in text: in a header, in JSON, in JSON within JSON, in an inspected object, or in a URL. */
const PLACE = new RegExp(`(?<![\\w-])(?:${FIELD})\\\\*["']? *[:=] *`, "gi");

/** The start of a value that is an object, an empty list, or a word of JSON. */
const NO_SECRET = /^(?:null|undefined|true|false)\b|^\{|^\[\]/;

/** The fewest characters of a value of a header field that is hidden in other places, too. */
const SHORTEST = 8;

/** The number of values of header fields that are remembered. */
const MOST = 200;

/** Hides secrets in everything that leaves the platform. */
export class Hider {
  /** The forms in which the secrets of the application can stand in a text. */
  #secrets: readonly string[] = [];
  /** The values of header fields of the last requests. */
  readonly #values = new Set<string>();

  /** Sets the values of the secrets of the application. */
  setSecrets(values: readonly string[]): void {
    this.#secrets = [...new Set(values.filter(Boolean).flatMap(formsOf))]
      .sort((a, b) => b.length - a.length);
  }

  /** Remembers the secrets in the header fields of a request or a response, to hide them in other places. */
  learn(headers: readonly (readonly [name: string, value: string])[]): void {
    for (const [name, value] of headers) {
      if (!IS_FIELD.test(name)) continue;
      const parts = /cookie/i.test(name)
        ? value.split(";").map((part) => part.slice(part.indexOf("=") + 1).trim())
        : [value.trim(), value.trim().replace(/^\S+ +/, "")];
      for (const part of parts) if (part.length >= SHORTEST) this.#learn(part);
    }
  }

  #learn(value: string): void {
    this.#values.delete(value);
    this.#values.add(value);
    const [oldest] = this.#values;
    if (this.#values.size > MOST) this.#values.delete(oldest!);
  }

  /** Hides the secrets in a text. */
  text(text: string): string {
    return this.#known(hideFields(text));
  }

  /**
   * Hides the secrets in a value of JSON.
   *
   * @param nameOf Returns what stands in place of a secret; by default {@linkcode HIDDEN}. It is told the key of the value.
   */
  json(value: unknown, nameOf: (key: string) => string = () => HIDDEN, key = ""): unknown {
    if (typeof value === "string") {
      const text = this.text(value);
      return IS_FIELD.test(key)
        ? nameOf(key)
        : text === value
        ? value
        : text.replaceAll(HIDDEN, () => nameOf(key));
    }
    if (Array.isArray(value)) return value.map((one) => this.json(one, nameOf, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [this.text(name), this.json(one, nameOf, name)]),
    );
  }

  #known(text: string): string {
    for (const value of this.#secrets) text = text.replaceAll(value, HIDDEN);
    for (const value of this.#values) text = text.replaceAll(value, HIDDEN);
    return text;
  }
}

/** Lists how a secret can be written: as it is, within JSON, in a URL, and within base64. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [secret, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret)];
  if (secret.length < SHORTEST) return forms;
  // A group of three bytes has four characters, so the place of the first byte in its group decides about the text.
  const coded = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64").replace(/=+$/, "");
    const rest = (before + bytes.length) % 3;
    return text.slice(before === 0 ? 0 : before + 1, rest === 0 ? undefined : -1);
  });
  return [
    ...forms,
    ...coded,
    ...coded.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** Hides the values of header fields in a text, in one pass. */
function hideFields(text: string): string {
  let result = "";
  let done = 0;
  for (const { 0: { length }, index } of text.matchAll(PLACE)) {
    if (index < done) continue; // It stands in a value that is hidden.
    const start = index + length;
    if (NO_SECRET.test(text.slice(start, start + 20))) continue;
    const end = endOfValue(text, start, text[start - 1] === "=");
    const quote = /^\[?\s*\\*["']/.exec(text.slice(start, start + 20))?.[0] ?? "";
    const close =
      /\\*["']\s*\]?$/.exec(text.slice(Math.max(start + quote.length, end - 20), end))?.[0] ?? "";
    result += text.slice(done, start) + quote + HIDDEN + (quote === "" ? "" : close);
    done = end;
  }
  return result + text.slice(done);
}

/** Finds the end of a value: of a quoted text, of a list of quoted texts, of a parameter, or of the line. */
function endOfValue(text: string, start: number, isParameter: boolean): number {
  if (text[start] === "[") {
    let end = start + 1;
    for (;;) {
      const [gap] = /^[\s,]*/.exec(text.slice(end, end + 100))!;
      const next = endOfQuoted(text, end + gap.length);
      if (next === undefined) return text[end + gap.length] === "]" ? end + gap.length + 1 : end;
      end = next;
    }
  }
  const quoted = endOfQuoted(text, start);
  if (quoted !== undefined) return quoted;
  const stop = isParameter ? /[&\s"'<>\\]/g : /[\r\n]|\\+[rn]/g;
  stop.lastIndex = start;
  return stop.exec(text)?.index ?? text.length;
}

/** Finds the end of a text in quotes, which may themselves be escaped; `undefined` if there is none. */
function endOfQuoted(text: string, start: number): number | undefined {
  const quote = /\\*["']/y;
  quote.lastIndex = start;
  const [found] = quote.exec(text) ?? [];
  if (found === undefined) return undefined;
  const end = new RegExp(`(?<!\\\\)\\\\{0,${found.length - 1}}${found.at(-1)}`, "g");
  end.lastIndex = start + found.length;
  const match = end.exec(text);
  return match === null ? text.length : match.index + match[0].length;
}
