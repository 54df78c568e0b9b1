import { temporaryFolder } from "../../../testdata/programs.ts";
import { makeDenoPackage, serve } from "../../testdata/bundle.ts";
import { bundleApp, type BundleOptions } from "../app.ts";

/** Functions of the {@linkcode MODULES}. */
export const FUNCTIONS = { one: { module: "one.ts" }, two: { module: "two.ts", handler: "main" } };
export const MODULES = {
  "one.ts": `import { answer } from "./answer.ts"; export const handler = () => answer;`,
  "answer.ts": "export class Answer {} export const answer = new Answer().constructor.name;",
  "two.ts": "export default 1; export function main() {}",
};

const CACHE = `${temporaryFolder()}/cache`;

/** Bundles an application without code caches, by default with a Deno that is a text. */
export async function bundle(
  manifest: string,
  out: string,
  { cache = CACHE, deno, ...options }: Partial<BundleOptions> & {
    cache?: string;
    deno?: Awaited<ReturnType<typeof makeDenoPackage>>;
  } = {},
) {
  const { tarball, package_ } = deno ?? await makeDenoPackage();
  await using server = serve(() => new Response(tarball));
  return await bundleApp(manifest, {
    out,
    architectures: ["x86_64", "arm64"],
    hasCache: false,
    packages: { x86_64: package_, arm64: package_ },
    source: { registry: server.url, cache },
    warn() {},
    ...options,
  });
}

/** The names of the files in a folder, in order. */
export const entries = (folder: string): Promise<string[]> =>
  Array.fromAsync(Deno.readDir(folder), ({ name }) => name).then((names) => names.sort());
