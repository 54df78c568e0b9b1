/**
 * Makes the zips for Lambda of an application, the example where none is named:
 * `deno task bundle [manifest] [--out folder] [--arch x86_64|arm64|both]`.
 *
 * @module
 */
import { main } from "../cli/bundle/main.ts";

if (import.meta.main) Deno.exit(await main(Deno.args, "examples/app.json"));
