/**
 * The modules of the tool, and the packages that they import.
 *
 * @module
 */
import { readdirSync } from "node:fs";
import ts from "typescript";
import map from "../../.ci/deno.json" with { type: "json" };
import { ROOT } from "./metadata.ts";

/** The folder of the tool. */
export const SOURCE: string = new URL("cli/", ROOT).pathname;

/** The modules of the tool without its tests, below its folder. */
export const MODULES: readonly string[] = (readdirSync(SOURCE, { recursive: true }) as string[])
  .filter((path) => /(?<!_test)\.ts$/.test(path) && !path.includes("testdata/"));

/** The package that a module means with a name, such as `npm:yazl@3.3.1`. */
export function packageOf(name: string): string | undefined {
  return (map.imports as Record<string, string>)[name];
}

/** The npm packages that the modules of the tool import, each once and in order. */
export function toolPackages(): string[] {
  const names = MODULES.flatMap((path) =>
    ts.preProcessFile(Deno.readTextFileSync(SOURCE + path)).importedFiles
  );
  return [...new Set(names.flatMap(({ fileName }) => packageOf(fileName) ?? []))].toSorted();
}
