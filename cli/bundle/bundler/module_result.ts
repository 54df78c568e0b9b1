import type { BuildResult, Metafile } from "esbuild";
import { dirname, join, resolve } from "node:path";
import { filesOfOthers, isInside, isPackageFile } from "../packages/access.ts";
import { checkDeno } from "./at_import.ts";
import type { InMemory } from "./build_options.ts";
import { findCircles, restoreDeclarations } from "./circles.ts";
import { withDeno } from "./deno_uses.ts";
import { warnOfFilesBeside } from "./files_beside.ts";
import { inputsOf } from "./inputs.ts";
import { addonProblem, loaderOf } from "./loaders.ts";
import type { BundlerOptions, ModuleBundle, Output, Target } from "../packages/types.ts";
import { findAddon } from "../packages/optional_imports.ts";
import { bundleOf, type Part } from "./output.ts";
import type { Packages } from "../packages/packages.ts";
import type { Reading } from "./resolver.ts";

const OLD_SDK =
  'the package "aws-sdk" does not read AWS_ENDPOINT_URL, so on this machine its calls ' +
  "go to AWS; to keep them on the local platform, add two lines: " +
  "const endpoint = process.env.AWS_ENDPOINT_URL; " +
  "if (endpoint) AWS.config.update({ endpoint, s3ForcePathStyle: true });";

/** Takes a result of esbuild, with the names of the modules of packages. */
export function partOf({ metafile, outputFiles }: BuildResult<InMemory>, packages: Packages): Part {
  return {
    metafile: JSON.parse(packages.name(JSON.stringify(metafile))),
    outputFiles: outputFiles.map(({ path, text }) => ({ path, text: packages.name(text) })),
  };
}

/** What esbuild has made of one module: checked, and completed to a bundle. */
export class ModuleResult {
  readonly #entry: string;
  readonly #part: Part;
  readonly #options: BundlerOptions;
  /** The imports of the application. */
  readonly imports: string;
  /** The modules of the application that import each other in circles. */
  readonly circles: ReadonlySet<string>;

  constructor(entry: string, part: Part, options: BundlerOptions) {
    this.#entry = entry;
    this.#part = part;
    this.#options = options;
    const { metafile } = part;
    this.imports = JSON.stringify(
      Object.entries(metafile.inputs).filter(([input]) => this.#isOwn(input))
        .map(([input, { imports }]) => [input, imports]),
    );
    this.circles = findCircles(metafile, (input) => this.#isOwn(input));
  }

  /** Whether a module is a file of the application. */
  #isOwn(input: string): boolean {
    return !/^\w+:/.test(input) &&
      !isPackageFile(resolve(this.#options.folder, input), this.#options);
  }

  /** Checks that the application itself imports each of its files, because esbuild resolves `require("./" + name)` alone. */
  #checkFiles(): void {
    const { folder } = this.#options;
    const { metafile } = this.#part;
    const [file] = filesOfOthers(metafile, folder, (input) => this.#isOwn(input));
    if (file === undefined) return;
    throw new Error(
      `Cannot bundle ${JSON.stringify(resolve(folder, file))}: ` +
        "a package must not import files of the application, also not by a computed name",
    );
  }

  /** Refuses a package that does not work without its native add-on. */
  async #refuseAddon({ packages }: Reading, target: Target): Promise<void> {
    const { metafile, outputFiles } = this.#part;
    const fileOf = (input: string) =>
      packages.fileOf(input) ?? resolve(this.#options.folder, input);
    const code = outputFiles.find(({ path }) => path.endsWith(".js"))!.text;
    const addon = await findAddon(metafile, code, async (input) => {
      const file = fileOf(input.replace(/ with \{.*$/, ""));
      const loader = loaderOf(file);
      return /^https?:/.test(input) || loader === undefined
        ? undefined
        : { contents: await Deno.readFile(file), loader };
    });
    if (addon === undefined) return;
    const { input, place } = addon;
    const text = addonProblem(fileOf(input), target === "deno");
    throw new Error(describe({ text, location: { ...place, file: input } }));
  }

  /** Returns the bundle as esbuild has made it. */
  get output(): Output {
    return bundleOf(this.#part);
  }

  /** Returns the bundle with the declarations that circles need. */
  async restored(): Promise<Output> {
    const { output } = this;
    const texts = new Map(
      await Promise.all(
        [...this.circles].map(async (input) =>
          [input, await Deno.readTextFile(resolve(this.#options.folder, input))] as const
        ),
      ),
    );
    const code = restoreDeclarations(output.code, output.map, (source) => texts.get(source));
    return { ...output, code };
  }

  /**
   * Adds to a bundle what belongs to it. Refuses what does not work at run time.
   *
   * @param output The bundle, and the warnings about it if they are known.
   */
  async complete(
    output: Output & { readonly warnings?: readonly string[] | undefined },
    reading: Reading,
    target: Target,
  ): Promise<ModuleBundle> {
    this.#checkFiles();
    await this.#refuseAddon(reading, target);
    const { externals } = reading;
    const { metafile } = this.#part;
    const { folder } = this.#options;
    const own = Object.keys(metafile.inputs).filter((input) => this.#isOwn(input));
    const read = new Set(own);
    const modules = own.map((input) => resolve(folder, input));
    const folders = new Set([
      ...this.#options.application, // with the configuration of the workspace
      ...modules.map((path) => dirname(path)),
    ]);
    const foldersElsewhere = [...folders].filter((path) => !isInside(path, folder));
    const [made] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint) as [
      Metafile["outputs"][string],
    ];
    const copied = externals?.packagesOf(made.imports.map(({ path }) => path));
    const unused = externals?.unusedIn(metafile);
    const manifests = copied?.packages.map(({ folder }) => join(folder, "package.json")) ?? [];
    const inputs = inputsOf(this.#entry, metafile, reading, this.#options, manifests);
    const usesOldSdk = Object.keys(metafile.inputs)
      .some((input) => /^npm:aws-sdk@2|(^|\/)node_modules\/aws-sdk\//.test(input));
    const warnings = output.warnings ?? [
      ...usesOldSdk ? [OLD_SDK] : [],
      ...target === "deno" ? [] : await checkDeno(output, (source) => read.has(source), folder),
      ...warnOfFilesBeside(output),
    ];
    const code = target === "deno" ? output.code : withDeno(output.code);
    return {
      ...output,
      code,
      foldersElsewhere,
      modules,
      inputs,
      ...warnings.length > 0 && { warnings },
      ...copied && { externals: copied },
      ...unused && { unused },
    };
  }
}

/**
 * Takes what belongs to one output of several. Inputs that no output reaches belong to each of them: esbuild does not say which
 * module found them by a computed name.
 */
export function metafileOf({ inputs, outputs }: Metafile, name: string): Metafile {
  const reachedFrom = (entries: readonly string[]) => {
    const reached = new Set<string>();
    for (const todo = [...entries]; todo.length > 0;) {
      const input = todo.pop()!;
      if (reached.has(input) || !(input in inputs)) continue;
      reached.add(input);
      todo.push(...inputs[input]!.imports.map(({ path }) => path));
    }
    return reached;
  };
  const entryOf = (path: string) => outputs[path]?.entryPoint;
  const all = reachedFrom(Object.keys(outputs).map(entryOf).filter((entry) => entry !== undefined));
  const [own] = Object.keys(outputs).filter((path) => path === name || path.endsWith(`/${name}`));
  const reached = reachedFrom([entryOf(own!)!]);
  return {
    inputs: Object.fromEntries(
      Object.entries(inputs).filter(([input]) => reached.has(input) || !all.has(input)),
    ),
    outputs: { [own!]: outputs[own!]! },
  };
}

interface Problem {
  readonly text: string;
  readonly location:
    | { readonly file: string; readonly line: number; readonly column: number }
    | null;
}

/** Describes a problem with its place in the author's file. */
export function describe({ text, location }: Problem): string {
  if (location === null) return text;
  return `${text}\n    at ${location.file}:${location.line}:${location.column + 1}`;
}
