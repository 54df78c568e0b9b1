import { MANIFEST } from "../deploy/testdata/manifest.ts";

/** A manifest with one function `f`; `change` changes the manifest and the function. */
export function manifestText(
  change: (
    manifest: Record<string, unknown>,
    f: Record<string, unknown>,
  ) => void = () => {},
): string {
  const f: Record<string, unknown> = { module: "f.ts" };
  const all: Record<string, unknown> = { name: "app", stage: "v0", functions: { f } };
  change(all, f);
  return JSON.stringify(all);
}

/** A manifest whose function `f` has the settings. */
export const withF = (settings: Record<string, unknown>): string =>
  manifestText((_, f) => void Object.assign(f, settings));

/** A manifest whose function `f` has the triggers, and with the queues `jobs` and `ordered.fifo`. */
export const withTriggers = (triggers: Record<string, unknown>): string =>
  manifestText((manifest, f) => {
    manifest.queues = { jobs: {}, ordered: { fifo: true } };
    f.triggers = triggers;
  });

/** A manifest with functions `a`, `b` and so on, with the triggers. */
export const withFunctions = (...triggers: readonly Record<string, unknown>[]): string =>
  manifestText((manifest) => {
    manifest.queues = { jobs: {} };
    manifest.functions = Object.fromEntries(
      triggers.map((value, index) => ["abc"[index], { module: "f.ts", triggers: value }]),
    );
  });

/** A manifest with everything that a manifest can have. */
export const FULL: string = JSON.stringify({
  $schema: "https://example.com/schema.json",
  region: "eu-west-1",
  architecture: "arm64",
  state: "s3://states/shop/state.json",
  ...MANIFEST,
});
