import { join } from "node:path/posix";
import { succeed } from "../../testdata/programs.ts";

/** The size and the checksum of each file of a package, by its path, such as `/mod.ts`. */
export type Manifest = Readonly<Record<string, { size: number; checksum: string }>>;

/** The paths of all files in a folder, from the folder on. */
export async function* filesBelow(folder: string, base = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder + base)) {
    if (isDirectory) yield* filesBelow(folder, `${base}/${name}`);
    else yield `${base}/${name}`;
  }
}

/** The checksum as JSR writes it: `sha256-` and the hexadecimal hash. */
export async function checksumOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return `sha256-${new Uint8Array(hash).toHex()}`;
}

interface Position {
  readonly line: number;
  readonly character: number;
}

interface Resolution {
  readonly specifier?: string;
  readonly error?: string;
  readonly span: { readonly start: Position; readonly end: Position };
}

interface Dependency {
  readonly specifier: string;
  readonly code?: Resolution;
  readonly type?: Resolution;
  readonly isDynamic?: boolean;
  readonly assertionType?: string;
}

interface Module {
  readonly path: string;
  readonly dependencies: readonly Dependency[];
}

/** The modules of a package, as `deno info` lists them for a module that imports every export. */
async function listModules(
  folder: string,
  exports: string | Record<string, string>,
): Promise<Module[]> {
  const entries = typeof exports === "string" ? [exports] : Object.values(exports);
  const temporary = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const root = `file://${await Deno.realPath(folder)}`;
    const lines = entries.map((path) => `import ${JSON.stringify(join(root, path))};`);
    await Deno.writeTextFile(temporary, lines.join("\n").replaceAll("file:/", "file:///"));
    const flags = ["--json", "--no-config", "--no-lock", "--no-remote", "--no-npm"];
    const stdout = await succeed(Deno.execPath(), ["info", ...flags, temporary]);
    const modules: (Module & { specifier: string })[] = JSON.parse(stdout).modules;
    return modules.filter(({ specifier }) => specifier.startsWith(`${root}/`))
      .map(({ specifier, dependencies = [] }) => ({
        path: specifier.slice(root.length),
        dependencies,
      }));
  } finally {
    await Deno.remove(temporary);
  }
}

/** The imports of every module of a package. Deno loads a package by this list and need not parse the modules first. */
export async function moduleGraph(
  folder: string,
  exports: string | Record<string, string>,
): Promise<unknown> {
  const modules = await listModules(folder, exports);
  return Object.fromEntries(modules.map(({ path, dependencies }) => [
    path,
    dependencies.length === 0 ? {} : { dependencies: dependencies.map(describe) },
  ]));
}

function describe({ specifier, code, type, isDynamic, assertionType }: Dependency): unknown {
  const { start, end } = (code ?? type)!.span;
  const range = [[start.line, start.character], [end.line, end.character]];
  const attributes = assertionType && { importAttributes: { known: { type: assertionType } } };
  return isDynamic
    ? { type: "dynamic", argument: specifier, argumentRange: range, ...attributes }
    : {
      type: "static",
      kind: code ? "import" : "importType",
      specifier,
      specifierRange: range,
      ...attributes,
    };
}
