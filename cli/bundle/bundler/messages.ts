/** What the bundler's process is started with. */
export interface BundlerOptions {
  /** The folder that the names of sources are relative to. */
  readonly folder: string;
  /** The folders of the application. */
  readonly application: readonly string[];
  /** The npm packages in Deno's cache. */
  readonly npmCache: string;
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
export type Target = "deno" | "nodejs22.x" | "nodejs24.x";

/** How modules are bundled. */
export interface Style {
  readonly target: Target;
  /** Whether names and white space are shortened. */
  readonly isMinified: boolean;
}

/** Modules to bundle. */
export interface Request {
  readonly id: number;
  /** The paths or URLs of the modules. */
  readonly entries: readonly string[];
  readonly style: Style;
}

/** What became of a module: a bundle, a problem, or neither if the bundle is the same as the last bundle of the module. */
export interface Result {
  readonly bundle?: ModuleBundle | undefined;
  readonly problem?: string;
}

/** The answer to a request: a result for each module. */
export interface Answer {
  readonly id: number;
  readonly results: readonly Result[];
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
  /** What will probably not work on the target. */
  readonly warnings?: readonly string[] | undefined;
  /** What the bundle was made of; `undefined` if that cannot be listed. */
  readonly inputs?: Inputs | undefined;
}

/** What a bundle was made of, except the configuration above the application's folder. If all of it is the same, so is the bundle. */
export interface Inputs {
  /** Files by their content. A file may not exist: then it would change the bundle if it did. */
  readonly files: readonly string[];
  /** Files of Deno's cache by their time and size: which versions of packages there are. */
  readonly versions: readonly string[];
  /** Folders and the start of names in them: a file with such a name could be imported instead. */
  readonly names: readonly (readonly [folder: string, start: string])[];
}
