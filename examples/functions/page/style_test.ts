import { assertEquals, assertStringIncludes } from "@std/assert";
import { POLICY } from "./policy.ts";
import { STYLE, STYLE_HASH } from "./style.ts";

Deno.test("STYLE_HASH is the hash of the style sheet", async () => {
  const bytes = new TextEncoder().encode(STYLE.toString());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  assertEquals(STYLE_HASH, `sha256-${btoa(String.fromCharCode(...digest))}`);
});

Deno.test("POLICY lets this style through, and no script, frame, form, base or connection", () => {
  assertEquals(POLICY["Content-Security-Policy"].split("; "), [
    "default-src 'none'",
    `style-src '${STYLE_HASH}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  assertStringIncludes(POLICY["Cache-Control"], "no-store");
});
