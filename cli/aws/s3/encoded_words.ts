/**
 * Encoded words, by which a header field carries any text (RFC 2047). Amazon S3 keeps the text of metadata, and answers it in
 * encoded words if it is not ASCII.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html
 * @module
 */
import { Buffer } from "node:buffer";

/** The bytes of a word that the encoding `Q` writes as they are. */
const PLAIN = /[!-<>@-^`-~]/;

/** The most characters of the encoded text of a word, so that the word has at most 75. */
const MAX_WORD = 63;

/** Encodes a text if it is not ASCII: in `Q` if most characters are ASCII, otherwise in `B`. */
export function encodeWords(text: string): string {
  const ascii = text.match(/[\t -~]/g)?.length ?? 0;
  if (ascii === text.length) return text;
  const isMostlyAscii = ascii > text.length - ascii;
  const encode = (part: string): string[] => {
    const bytes = Buffer.from(part);
    const encoded = isMostlyAscii ? quote(bytes) : bytes.toString("base64");
    const half = part.length >> 1;
    if (encoded.length <= MAX_WORD || half === 0) {
      return [`=?UTF-8?${isMostlyAscii ? "Q" : "B"}?${encoded}?=`];
    }
    // A character beyond the basic plane has two halves, which stay together.
    const middle = /[\ud800-\udbff]/.test(part[half - 1]!) ? half - 1 || 2 : half;
    return [part.slice(0, middle), part.slice(middle)].filter((one) => one !== "").flatMap(encode);
  };
  return encode(text).join(" ");
}

function quote(bytes: Buffer): string {
  return [...bytes].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === " ") return "_";
    if (PLAIN.test(character)) return character;
    return `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** Decodes the encoded words in a text. What is not an encoded word stays. */
export function decodeWords(text: string): string {
  return text.replaceAll(/\?=[\t ]+(?==\?)/g, "?=") // White space between two words is not part of the text.
    .replaceAll(/=\?([\w-]{1,40})\?([BbQq])\?([!->@-~]*)\?=/g, (word, charset, how, content) => {
      const bytes = /b/i.test(how) ? Buffer.from(content, "base64") : unquote(content);
      try {
        return new TextDecoder(charset).decode(bytes);
      } catch {
        return word; // The character set is unknown.
      }
    });
}

function unquote(text: string): Buffer {
  const plain = text.replaceAll("_", " ").replaceAll(
    /=([\dA-Fa-f]{2})/g,
    (_, digits) => String.fromCharCode(parseInt(digits, 16)),
  );
  return Buffer.from(plain, "latin1");
}
