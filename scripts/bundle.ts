/**
 * Makes the zips for Lambda of an application: `deno task bundle [manifest] [--out folder] [--arch x86_64|arm64|both]`.
 *
 * @module
 */
import { main } from "../local/bundle/main.ts";

if (import.meta.main) Deno.exit(await main(Deno.args));
