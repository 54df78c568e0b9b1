/**
 * Bundles an application for AWS Lambda, as the command `mate bundle` does: a layer with Deno and the runtime, and a small zip
 * per function.
 *
 * @module
 */
export { bundleApp, type BundledArchive, type BundleOptions } from "./app.ts";
export type { Contents, Part } from "./sizes.ts";
export type { DenoSource } from "./deno_binary.ts";
export type { Sizes } from "./sizes.ts";
export type { Architecture, DenoPackage } from "./deno_binary.ts";
