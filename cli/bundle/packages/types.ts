import type { NpmPackage } from "./graph.ts";

/** What the bundler's process is started with. */
export interface BundlerOptions {
  /** The folder that the names of sources are relative to. */
  readonly folder: string;
  /** The folders of the application. */
  readonly application: readonly string[];
  /** The npm packages in Deno's cache. */
  readonly npmCache: string;
  /** Whether an import of JavaScript finds the TypeScript that a compiler makes it of. */
  readonly hasSloppyImports: boolean;
  /** Deno's cache. */
  readonly denoDir: string;
  /** The flags of Deno that decide how modules are resolved. */
  readonly flags: readonly string[];
  /** The options of TypeScript in Deno's configuration. */
  readonly compilerOptions?: Readonly<Record<string, unknown>> | undefined;
  /** The file with the options of TypeScript, if Deno's configuration has none. */
  readonly tsconfig?: string | undefined;
}

/** What bundles run on. */
export type Target = "deno" | "nodejs22.x" | "nodejs24.x" | "nodejs26.x";

/** How modules are bundled. */
export interface Style {
  readonly target: Target;
  /** The packages that are left out of the bundle, and copied beside it. */
  readonly packages: readonly string[];
  /** Whether names and white space are shortened. */
  readonly isMinified: boolean;
}

/** A package without an add-on for the system. */
export interface MissingAddon {
  readonly name: string;
  /** The system, such as `linux-arm64`. */
  readonly system: string;
  /** The builds that the package has for others. */
  readonly others: readonly string[];
  /** What fetches the add-on. */
  readonly remedy: string;
}

/** JavaScript and its source map. */
export interface Output {
  readonly code: string;
  readonly map: string;
  /** The names of the exports; `undefined` for CommonJS, because its exports are known only at run time. */
  readonly exports?: readonly string[];
}

/** A bundled module. */
export interface ModuleBundle extends Output {
  /** The folders outside of the application's folder from which it imports its own files. */
  readonly foldersElsewhere: readonly string[];
  /** The files of the application that esbuild has read. A source map may name any others: it may come from a package. */
  readonly modules: readonly string[];
  /** What will probably not work on the target. */
  readonly warnings?: readonly string[] | undefined;
  /** The packages that the bundle imports: those with native add-ons, and those that the manifest names. */
  readonly externals?: ExternalPackages | undefined;
  /** The packages to leave out that no module imports. */
  readonly unused?: UnusedPackages | undefined;
  /** What the bundle was made of. */
  readonly inputs: Inputs;
}

/** What a bundle was made of, except the configuration. If all of it is the same, so is the bundle. */
export interface Inputs {
  /** Files by their content. */
  readonly files: readonly string[];
  /** Files of Deno's cache by their time and size: which versions of packages there are. */
  readonly versions: readonly string[];
  /** Folders and the start of names in them: a file with such a name could be imported instead. */
  readonly names: readonly (readonly [folder: string, start: string])[];
  /** Paths that lead elsewhere if a link takes their place. They may not exist. */
  readonly paths: readonly string[];
}

/** Packages that were to be left out of a bundle, and that are not in it. */
export interface UnusedPackages {
  readonly names: readonly { readonly name: string; readonly isInstalled: boolean }[];
  /** The packages that are in the bundle. */
  readonly others: readonly string[];
}

/** A package that is copied beside a bundle. */
export interface ExternalPackage {
  /** The folder in `node_modules` of the zip. */
  readonly name: string;
  /** The folder on this machine, without links. */
  readonly folder: string;
  /** The name and version in the module graph, for a package in Deno's cache. */
  readonly id?: string | undefined;
  /** Whether each module that imports the package catches its absence. */
  readonly isOptional: boolean;
}

/** The packages that are copied beside a bundle. */
export interface ExternalPackages {
  readonly packages: readonly ExternalPackage[];
  /** Those packages of the module graph that they may depend on in Deno's cache. */
  readonly cache: Readonly<Record<string, NpmPackage>>;
}
