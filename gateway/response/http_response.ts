/** A response as the gateway takes it from a function with proxy integration. */
export interface HttpResponse {
  /** The status code (RFC 9110 §15), 100 to 599. */
  statusCode: number;
  /** The header fields; no two names are equal but for case. */
  headers: Record<string, string>;
  /** The content, as text or as base64. */
  body: string;
  /** Whether `body` is base64, which the gateway decodes. */
  isBase64Encoded: boolean;
}
