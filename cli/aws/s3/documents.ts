import { S3Error } from "../responses.ts";

/** The largest document of a request, in bytes. A list of 10,000 parts with checksums is smaller. */
const MAX_DOCUMENT = 4 * 1024 ** 2;

/** An element of XML: text, or elements by name. */
type Element = string | { readonly [name: string]: Element | readonly Element[] };

/** An element that has only elements with texts, by name. */
export type Item = Readonly<Record<string, string>>;

export function malformedXml(): S3Error {
  return new S3Error(
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}

/** A document of a request: texts, and a list of items. */
export interface ItemDocument {
  readonly texts: Item;
  readonly items: readonly Item[];
}

/**
 * Reads a document such as `<Delete><Object><Key>a</Key></Object></Delete>`.
 *
 * @param content The content of the request.
 * @param root The name of the root.
 * @param item The name of the repeated element.
 * @throws {S3Error} If the document is something else.
 */
export async function readDocument(
  content: AsyncIterable<Uint8Array>,
  root: string,
  item: string,
): Promise<ItemDocument> {
  const { XMLParser, XMLValidator } = await import("fast-xml-parser"); // Only these operations need it.
  const text = await readText(content);
  // Amazon S3 knows no document type, so entities cannot be declared.
  if (text.includes("<!DOCTYPE") || XMLValidator.validate(text) !== true) throw malformedXml();
  const parser = new XMLParser({
    ignoreAttributes: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    isArray: (name) => name === item,
    parseTagValue: false,
    processEntities: false,
    removeNSPrefix: true,
    trimValues: false,
  });
  const { [root]: found, ...others } = parser.parse(text) as Record<string, Element>;
  if (found === undefined || Object.keys(others).some((name) => name !== "#text")) {
    throw malformedXml();
  }
  if (typeof found === "string") return { texts: {}, items: [] };
  const { [item]: items = [], ...rest } = found as Record<string, Element>;
  return { texts: textsOf(rest), items: (items as readonly Element[]).map(textsOf) };
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const chunk of content) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_DOCUMENT) throw malformedXml();
    }
    return text + decoder.decode();
  } catch (error) {
    throw error instanceof TypeError ? malformedXml() : error;
  }
}

function textsOf(element: Element): Item {
  if (typeof element === "string") {
    if (element.trim() === "") return {};
    throw malformedXml();
  }
  return Object.fromEntries(
    Object.entries(element).filter(([name]) => name !== "#text").map(([name, value]) => {
      if (typeof value !== "string") throw malformedXml();
      return [name, decode(value)];
    }),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  quot: '"',
};

/** Replaces the entities that need no declaration. */
function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d+);|#x([\da-f]+);|(\w+);)?/gi, (_, decimal, hex, named) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    const character = named === undefined
      ? code <= 0x10ffff ? String.fromCodePoint(code) : undefined
      : ENTITIES[named];
    if (character === undefined) throw malformedXml();
    return character;
  });
}
