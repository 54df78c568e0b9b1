import { STYLE_HASH } from "./style.ts";

/**
 * Headers for answers that echo their caller: a page runs no script, loads nothing, is framed by nobody, and no
 * answer is kept in a cache or taken for another type than it says.
 */
export const POLICY = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": `default-src 'none'; style-src '${STYLE_HASH}'; img-src data:; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;
