import { build, type Loader, type Message, type Metafile } from "esbuild";
import { lookInto } from "./syntax.ts";

/** The text of a module and its language. */
export interface Source {
  readonly contents: Uint8Array;
  readonly loader: Loader;
}

/** A place in a module. The first line is 1, and the first column is 0. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds an import in a module whose failure the module does not catch. A module can catch it with `try`, as in
 * `try { require("fast") } catch {}`, or with `import("fast").catch(…)`.
 */
export async function uncaughtImport(
  source: Source,
  specifier: string,
): Promise<Place | undefined> {
  const { errors } = await build({
    stdin: source, // It has no folder, so esbuild finds no module, and reports the imports whose failure is not caught.
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
    plugins: [{
      name: "only one import",
      setup({ onResolve }) {
        onResolve(
          { filter: /./ },
          ({ path }) => path === specifier ? undefined : { path, external: true },
        );
      },
    }],
  }).catch((error: { readonly errors: readonly Message[] }) => error);
  const [error] = errors;
  return error && (error.location ?? { line: 1, column: 0 });
}

/**
 * Whether a module of a package may be bundled without a package that it imports: its own package says so, or only functions
 * require it. Such an import throws when it is reached, as on AWS Lambda.
 *
 * @param manifest The `package.json` of the importing package.
 */
export async function isOptional(
  specifier: string,
  { contents, loader }: Source,
  manifest: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const [name] = /^(@[^/]+\/)?[^/.#][^/]*/.exec(specifier) ?? [];
  if (name === undefined) return false; // a file of the package itself
  const { optionalDependencies, peerDependenciesMeta } = manifest;
  if (Object.hasOwn(Object(optionalDependencies), name)) return true;
  if (Object(Object(peerDependenciesMeta)[name]).optional === true) return true;
  if (loader !== "js") return false;
  const text = new TextDecoder().decode(contents);
  // A module has no `require`.
  return await lookInto(text, "script", (program) => !requires(program, specifier)) ?? false;
}

/** Whether a node requires a package outside of a function. */
function requires(node: unknown, specifier: string): boolean {
  if (Array.isArray(node)) return node.some((one) => requires(one, specifier));
  const { type, callee, arguments: given } = Object(node);
  if (typeof type !== "string") return false;
  const isCalled = /^(Arrow)?Function/.test(callee?.type ?? ""); // at once
  if (isCalled && requires(callee.body, specifier)) return true;
  if (/^(FunctionDeclaration|(Arrow)?FunctionExpression)$/.test(type)) return false;
  if (/^Import|^Export/.test(type) && Object(node).source?.value === specifier) return true;
  return type === "CallExpression" && callee.name === "require" && given[0]?.value === specifier ||
    Object.values(Object(node)).some((part) => requires(part, specifier));
}

/** The packages with which other packages find their native add-ons. */
export const ADDON_FINDERS: ReadonlySet<string> = new Set([
  "bindings",
  "node-gyp-build",
  "node-gyp-build-optional-packages",
  "@mapbox/node-pre-gyp",
  "pkg-prebuilds",
]);

/** A native add-on that a module loads with a `require` of `createRequire()`. esbuild does not see these. */
const ADDON_REQUIRE = /\brequire\((["'`])[^"'`\n]*\.node\1\)/;

/** A native add-on in a text, and a `require` of a variable. A module with both that also throws tries several add-ons. */
const ADDON_NAME = /\.node["'`]/;
const COMPUTED_REQUIRE = /\brequire\((?=[\w$]+\))/;

/**
 * Finds the import with which a package finds its native add-on. Does not count an import whose failure the package, or
 * another module on every way to it, catches: such a program works without the add-on.
 *
 * @param code The text of the bundle.
 * @param sourceOf Returns the text of an input of the bundle.
 */
export async function findAddon(
  { inputs, outputs }: Metafile,
  code: string,
  sourceOf: (input: string) => Promise<Source | undefined>,
): Promise<{ readonly input: string; readonly place: Place } | undefined> {
  const output = Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined)!;
  const imports = Object.entries(inputs).flatMap(([importer, { imports }]) =>
    imports.map(({ path, original = path }) => ({ importer, path, original }))
  );
  const importsOf = Map.groupBy(imports, ({ path }) => path);
  const uncaught = async (importer: string, specifier: string) => {
    const source = await sourceOf(importer);
    return source && await uncaughtImport(source, specifier);
  };
  const isNeeded = async (input: string, seen: Set<string>): Promise<boolean> => {
    if (input === output.entryPoint) return true;
    seen.add(input);
    for (const { importer, original } of importsOf.get(input) ?? []) {
      if (seen.has(importer) || !await uncaught(importer, original)) continue;
      if (await isNeeded(importer, seen)) return true;
    }
    return false;
  };
  for (const { importer: input, original } of imports) {
    if (!output.inputs[input]?.bytesInOutput) continue;
    const place = ADDON_FINDERS.has(original)
      ? await uncaught(input, original)
      : /^(node:)?module$/.test(original)
      ? placeOf(ADDON_REQUIRE, await sourceOf(input))
      : undefined;
    if (place && await isNeeded(input, new Set())) return { input, place };
  }
  if (!ADDON_NAME.test(code)) return undefined;
  for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
    if (bytesInOutput === 0 || !/^npm:|(^|\/)node_modules\//.test(input)) continue;
    const source = await sourceOf(input);
    const text = new TextDecoder().decode(source?.contents);
    if (!ADDON_NAME.test(text) || !/\bthrow\b/.test(text)) continue;
    const place = placeOf(COMPUTED_REQUIRE, source);
    if (place && await isNeeded(input, new Set())) return { input, place };
  }
  return undefined;
}

function placeOf(pattern: RegExp, source: Source | undefined): Place | undefined {
  const text = new TextDecoder().decode(source?.contents);
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const before = text.slice(0, match.index).split("\n");
  return { line: before.length, column: before.at(-1)!.length };
}
