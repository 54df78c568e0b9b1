import { assertEquals } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { ESBUILD } from "./bundler.ts";

Deno.test("the bundler runs the esbuild of its own package", () => {
  assertEquals(ESBUILD, config.imports.esbuild);
});
