/** The content of an XML element: text, or elements by name. An array makes several elements of one name. */
export type XmlContent = string | number | boolean | XmlElements;

interface XmlElements {
  readonly [name: string]: XmlContent | readonly XmlContent[];
}

export function xmlResponse(document: XmlElements, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${serialize(document)}`, {
    status,
    headers: { "Content-Type": "application/xml" },
  });
}

function serialize(content: XmlContent): string {
  if (typeof content === "object") {
    return Object.entries(content).flatMap(([name, values]) =>
      [values].flat().map((value) => `<${name}>${serialize(value)}</${name}>`)
    ).join("");
  }
  // Control characters are not allowed in XML 1.0, even if they are escaped.
  // deno-lint-ignore no-control-regex
  return String(content).replaceAll(/[\0-\x08\v\f\x0e-\x1f]/g, "\ufffd")
    .replaceAll(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

/** The texts of all elements with a name that hold nothing but text. */
export function elements(document: string, name: string): string[] {
  return [...document.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) =>
    text!.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal, hex, named) => {
      if (named !== undefined) return ENTITIES[named] ?? entity;
      return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16));
    })
  );
}
