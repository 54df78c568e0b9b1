const BASE64 = /^([A-Za-z0-9+/]*)={0,2}$/;

/**
 * Decodes base64 of the standard alphabet (RFC 4648 §4); `undefined` for any other text. Padding may be
 * missing altogether, as in the console's sample event.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  const digits = BASE64.exec(text)?.[1];
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  if (text.length > digits.length && text.length % 4 !== 0) return undefined;
  return Uint8Array.from(atob(digits), (octet) => octet.charCodeAt(0));
}
