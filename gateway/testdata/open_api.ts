import * as z from "zod";
import { type ApiDescription, openApi, type OpenApiOptions } from "../mod.ts";

export const OPTIONS = { title: "Shop", version: "1" };

/** The document of any API. */
// deno-lint-ignore no-explicit-any -- the tests look into documents
export const make = (api: unknown, options: object = {}): any =>
  openApi(api as ApiDescription, { ...OPTIONS, ...options } as OpenApiOptions);

export interface Tree {
  name: string;
  branches: Tree[];
}
export const Tree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get branches() {
    return z.array(Tree);
  },
});
export const NamedTree: z.ZodType<Tree> = z.object({
  name: z.string(),
  get branches() {
    return z.array(NamedTree);
  },
}).meta({ id: "Tree" });
