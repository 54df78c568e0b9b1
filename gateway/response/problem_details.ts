import { statusText } from "./status_text.ts";
import type { SimpleMessage, TransformerInfo } from "./transformer.ts";

/** Makes `application/problem+json` (RFC 9457) of the message and the details of an error. */
export function problemTransformer(
  { Message, Details }: SimpleMessage & { readonly Details?: object },
  { status }: TransformerInfo,
): [content: string, contentType: string] {
  // The details come first, because the members of RFC 9457 win over them.
  const problem = {
    ...Details,
    type: "about:blank",
    title: statusText(status) || String(status),
    status,
    detail: Message,
  };
  return [JSON.stringify(problem), "application/problem+json"];
}
