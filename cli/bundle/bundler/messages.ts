/** What the bundler's process is started with. */
export interface BundlerOptions {
  /** The folder that the names of sources are relative to. */
  readonly folder: string;
  /** The folders of the application. */
  readonly application: readonly string[];
  /** The npm packages in Deno's cache. */
  readonly npmCache: string;
  /** The flags of Deno that decide how modules are resolved. */
  readonly flags: readonly string[];
  /** The options of TypeScript in Deno's configuration. */
  readonly compilerOptions?: Readonly<Record<string, unknown>> | undefined;
  /** The file with the options of TypeScript, if Deno's configuration has none. */
  readonly tsconfig?: string | undefined;
}

/** A module to bundle. */
export interface Request {
  readonly id: number;
  readonly entry: string;
  readonly isMinified: boolean;
}

/** The answer to a request: a result, a problem, or neither if the bundle is the same as the last bundle of the module. */
export interface Answer {
  readonly id: number;
  readonly result?: ModuleBundle | undefined;
  readonly problem?: string;
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
}
