/** XML that is escaped already. */
export class Xml {
  constructor(readonly text: string) {}
}

/** Makes XML: values are escaped, XML stays as it is, and arrays are joined. */
export function xml(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | boolean | Xml | readonly Xml[])[]
): Xml {
  return new Xml(String.raw({ raw: parts }, ...values.map(render)));
}

function render(value: string | number | boolean | Xml | readonly Xml[]): string {
  if (value instanceof Xml) return value.text;
  if (Array.isArray(value)) return value.map(render).join("");
  // Control characters are not allowed in XML 1.0, even if they are escaped.
  // deno-lint-ignore no-control-regex
  return String(value).replaceAll(/[\0-\x08\v\f\x0e-\x1f]/g, "\ufffd")
    .replaceAll(/[&<>"\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A response with an XML document. */
export function xmlResponse(document: Xml, status = 200): Response {
  return new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${document.text}`, {
    status,
    headers: { "Content-Type": "application/xml" },
  });
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
