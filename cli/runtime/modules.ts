import { extname } from "node:path";

/** The place of a module in this folder: a `.js` in the npm package. */
export const placeOf = (name: string): URL =>
  new URL(`${name}${extname(import.meta.url)}`, import.meta.url);

/** The modules of the tool that are bundled for functions of every application. Nothing calls `load`: it makes a module a part of the module graph. */
export const MODULES = {
  runtime: {
    url: placeOf("runtime_bootstrap"),
    load: () => import("./runtime_bootstrap.ts"),
  },
  secretReader: {
    url: placeOf("secret_reader"),
    load: () => import("./secret_reader.ts"),
  },
};
