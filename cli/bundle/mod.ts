/**
 * Bundles an application for AWS Lambda, as the command `mate bundle` does: a layer with Deno and the runtime, and a small zip
 * per function.
 *
 * @module
 */
export { bundleApp, type BundledArchive, type BundleOptions } from "./app.ts";
export type { Contents, Part } from "./contents.ts";
export type { DenoSource } from "./deno_binary.ts";
export type { Sizes } from "./limits.ts";
export type { Architecture, DenoPackage } from "./pinned_deno.ts";
