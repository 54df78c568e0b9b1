/**
 * Bundles an application for AWS Lambda, as the command `mate bundle` does: a layer with Deno and the runtime, and a small zip
 * per function.
 *
 * @module
 */
export { bundleApp, type BundledArchive, type BundleOptions } from "./app.ts";
export type { Architecture, ProgramPackage } from "../programs/pinned_packages.ts";
export type { ProgramSource } from "../programs/keep_program.ts";
export type { Contents, Part, Sizes } from "../archives/sizes.ts";
