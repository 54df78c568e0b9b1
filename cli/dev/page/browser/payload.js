// Writes events, results and bodies for a reader: JSON in JSON is unfolded.

/** Marks a text that was JSON, or the base64 of a text. */
class Unfolded {
  constructor(note, value) {
    Object.assign(this, { note, value });
  }
}

/** Parses JSON with an object or a list. */
function parse(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decode(text) {
  try {
    const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Unfolds the texts that are JSON, and the bodies in base64. */
function unfold(value) {
  if (typeof value === "string") {
    const inner = parse(value);
    return inner === undefined ? value : new Unfolded("JSON in a text", unfold(inner));
  }
  if (Array.isArray(value)) return value.map(unfold);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const isEncoded = key === "body" && value.isBase64Encoded === true && typeof one === "string";
      const text = isEncoded ? decode(one) : undefined;
      if (text === undefined) return [key, unfold(one)];
      const inner = unfold(text);
      return [key, new Unfolded("base64", inner instanceof Unfolded ? inner.value : inner)];
    }),
  );
}

function write(value, indent) {
  if (value instanceof Unfolded) return `/* ${value.note} */ ${write(value.value, indent)}`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Array.isArray(value)
    ? value.map((one) => write(one, `${indent}  `))
    : Object.entries(value).map(([key, one]) =>
      `${JSON.stringify(key)}: ${write(one, `${indent}  `)}`
    );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) return open + close;
  return `${open}\n${indent}  ${entries.join(`,\n${indent}  `)}\n${indent}${close}`;
}

/** Writes a text: JSON in lines, each parameter of a form in a line. Other texts stay. */
export function showText(text) {
  const value = parse(text);
  if (value !== undefined) return write(unfold(value), "");
  if (/^[\w.%+-]+=[^\s&]*(&[\w.%+-]+=[^\s&]*)*$/.test(text)) {
    return Array.from(new URLSearchParams(text), ([key, one]) => `${key}: ${showText(one)}`)
      .join("\n");
  }
  return text;
}

/** Writes what is kept of a payload. A request and an answer have a head before the body. */
export function showPayload({ text, isBase64, size, isCut }) {
  if (isBase64) return `${size} bytes in base64, because they are not text:\n${text}`;
  const end = /^(HTTP\/|[A-Z]+ \/)/.test(text) ? text.indexOf("\r\n\r\n") : -1;
  const shown = end < 0
    ? showText(text)
    : `${text.slice(0, end).replaceAll("\r\n", "\n")}\n\n${showText(text.slice(end + 4))}`
      .trimEnd();
  return isCut ? `${shown}\n… of ${size} bytes, only the beginning is kept` : shown;
}
