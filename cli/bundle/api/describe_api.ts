import { dirname, extname, join, resolve } from "node:path";
import { parse } from "jsonc-parser";
import {
  detectIsolation,
  type Isolation,
  letFunctionsIn,
  makeTmp,
} from "../../lambda/isolation/isolation.ts";
import { GROUP_ID, USER_ID } from "../../lambda/isolation/root_folder.ts";
import { mapValues } from "../../application/resources.ts";
import type { Application } from "../../application/types.ts";
import { DENO_CONFIGS } from "../../programs/find_program.ts";
import { ownArchitecture } from "../../programs/pinned_packages.ts";
import { type ArchiveFile, identifyFiles, writeFiles } from "../../archives/archive.ts";
import { startFunction, WAIT_LIMIT } from "../../starts/warm_start.ts";
import { bundleOwn } from "../modules/own_modules.ts";
import { filesOfLayer, writeLayer } from "../../runtime/layer.ts";
import { MODULES } from "../../runtime/modules.ts";
import { bundleModule, type ModuleBundleOptions } from "../modules/module_bundle.ts";
import { keyOf } from "../../programs/kept.ts";
import type { Description, Question } from "./program.ts";

export interface DescribeOptions extends Pick<ModuleBundleOptions, "bundles" | "kept" | "signal"> {
  /** The path of the manifest. */
  readonly manifestPath: string;
  readonly application: Application;
  /** The URL of the stage, if it is known. */
  readonly url?: string | undefined;
  /** The security schemes of the document by name. */
  readonly securitySchemes?: Question["securitySchemes"] | undefined;
  /** The files of the tool in the sandbox; made anew by default. */
  readonly ownFiles?: (() => Promise<OwnFiles>) | undefined;
  /** How the module is kept apart; by default the best way of this machine. */
  readonly isolation?: Isolation | undefined;
}

type Making = Pick<DescribeOptions, "kept" | "signal">;

/** The files of the tool in the sandbox. They do not change while the tool runs. */
export interface OwnFiles {
  readonly layer: readonly ArchiveFile[];
  /** The bundled program. */
  readonly program: string;
}

export interface DescribedApi {
  /** The OpenAPI document. */
  readonly document: Description["document"];
  /** Sentences about the routes of the manifest that have no description. */
  readonly warnings: readonly string[];
}

/** The program of the sandbox. Nothing calls `load`: it makes the program a part of the module graph. */
const PROGRAM = {
  url: new URL(`program${extname(import.meta.url)}`, import.meta.url), // a .js in the npm package
  load: () => import("./program.ts"),
};

/** The most processor time for the module and the document, in seconds. */
const WORK_LIMIT = 20;

/**
 * Makes the OpenAPI document of an application from the description that the module `api` of its manifest exports. The module
 * runs in the sandbox of a function without permissions and without variables.
 *
 * @returns The document; `undefined` if the manifest names no module.
 * @throws {Error} If the module cannot be bundled or throws, the description is wrong, or no route serves one of its keys.
 */
export async function describeApi(options: DescribeOptions): Promise<DescribedApi | undefined> {
  const { manifestPath, application, url, securitySchemes = {}, kept, signal } = options;
  const { ownFiles = () => makeOwnFiles({ kept, signal }) } = options;
  const { api: module, gateway } = application;
  if (module === undefined) return undefined;
  const folder = dirname(resolve(manifestPath));
  const routes = (gateway?.routes ?? [])
    .map(({ method, path, authorizer }) => ({ method, path, authorizer }));
  try {
    const { bundles } = options;
    const files = await moduleFiles(join(folder, module), folder, { bundles, kept, signal });
    const { layer, program } = await ownFiles();
    const question: Question = {
      title: application.name,
      version: await versionOf(folder),
      url,
      kind: gateway?.kind ?? "rest",
      routes,
      securitySchemes,
      authorizers: {
        ...mapValues(gateway?.authorizers ?? {}, ({ identity }) => schemeOf(identity)),
        ...mapValues(
          gateway?.jwtAuthorizers ?? {},
          ({ identity }) =>
            identity.toLowerCase() === "header.authorization"
              ? { type: "http", scheme: "bearer", bearerFormat: "JWT" }
              : schemeOf([identity]),
        ),
      },
    };
    files.push({ path: "index.js", data: new TextEncoder().encode(program) });
    const key = keyOf(identifyFiles([...layer, ...files]), question);
    const make = async () => {
      const answer = await ask(layer, files, question, options);
      return new Map([["answer", new TextEncoder().encode(JSON.stringify(answer))]]);
    };
    const parts = await (kept === undefined ? make() : kept.once("api", key, make));
    const { document, unserved, undescribed }: Description = JSON.parse(
      new TextDecoder().decode(parts.get("answer")),
    );
    if (unserved.length > 0) {
      const keys = unserved.map((key) => `"${key}"`).join(", ");
      throw new Error(`no route of the manifest serves ${keys}: add the route to a function`);
    }
    const warnings = undescribed.map((route) =>
      `The route "${route}" of the manifest has no description in "${module}"`
    );
    return { document, warnings };
  } catch (error) {
    if (signal?.aborted) throw error;
    const { message } = error as Error;
    throw new Error(`Cannot describe the API of "${module}": ${message}`, { cause: error });
  }
}

/** The security scheme of an authorizer: the first header field or parameter of the query that identifies a caller. */
function schemeOf(identity: readonly string[]): Question["authorizers"][string] {
  const [, place = "header", name = "Authorization"] =
    identity.map((source) => /^(header|querystring)\.(.+)$/.exec(source)).find(Boolean) ?? [];
  return { type: "apiKey", in: place === "header" ? place : "query", name };
}

/** Bundles the module of the API. */
async function moduleFiles(
  path: string,
  folder: string,
  options: Making & Pick<DescribeOptions, "bundles">,
): Promise<ArchiveFile[]> {
  if (!await Deno.stat(path).then(({ isFile }) => isFile, () => false)) {
    throw new Error(`it is not a file in "${folder}"`);
  }
  const { code, map, exports } = await bundleModule(path, { folder, ...options });
  if (exports?.includes("api") === false) {
    throw new Error(`it does not export "api": it exports ${exports.join(", ") || "nothing"}`);
  }
  const encoder = new TextEncoder();
  return [
    { path: "api.js", data: encoder.encode(code) },
    { path: "api.js.map", data: encoder.encode(map) },
  ];
}

/** Makes the layer and the program. */
export async function makeOwnFiles(options: Making = {}): Promise<OwnFiles> {
  const [runtime, program] = await bundleOwn([MODULES.runtime.url, PROGRAM.url], options);
  return { layer: filesOfLayer(ownArchitecture() ?? "x86_64", runtime!), program: program! };
}

/** Asks the program, which runs as a function that may do nothing. */
async function ask(
  layer: readonly ArchiveFile[],
  files: readonly ArchiveFile[],
  question: Question,
  { signal, ...options }: DescribeOptions,
): Promise<Description> {
  const isolation = options.isolation ?? await detectIsolation();
  const isPlain = isolation.kind === "plain folders";
  // The folder has a random name and mode 0700, so other users can neither guess it nor put files into it.
  const work = await Deno.makeTempDir({ prefix: "mate-api-" });
  const limit = new AbortController();
  const late = new Error("it waits for more than 2 minutes");
  const timer = setTimeout(() => limit.abort(late), WAIT_LIMIT);
  try {
    const folders = {
      task: `${work}/task`,
      layer: `${work}/layer`,
      deno: Deno.execPath(),
      cache: `${work}/cache`,
      tmp: await makeTmp(work),
    };
    await writeFiles(folders.task, files);
    await writeLayer(folders.layer, layer, isPlain ? folders.deno : undefined);
    if (isPlain) await preparePlain(work, folders.cache);
    const environment = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LAMBDA_TASK_ROOT: isolation.place(folders).task,
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
      _HANDLER: "index.handler",
    };
    const ending = AbortSignal.any([limit.signal, ...(signal ? [signal] : [])]);
    const start = { folders, environment, isolation, signal: ending, workLimit: WORK_LIMIT };
    let answer: Description | undefined;
    await startFunction(start, async (api) => {
      const { answered } = api.invoke({
        requestId: crypto.randomUUID(),
        functionName: "api",
        payload: new TextEncoder().encode(JSON.stringify(question)),
        deadline: Date.now() + WAIT_LIMIT,
      });
      const { kind, body } = await answered;
      const value = JSON.parse(new TextDecoder().decode(body));
      if (kind !== "response") throw new Error(problemOf(value));
      answer = value;
    });
    return answer!;
  } finally {
    clearTimeout(timer);
    await Deno.remove(work, { recursive: true });
  }
}

/** Gives a process in plain folders its cache. The processes of root run as another user. */
async function preparePlain(work: string, cache: string): Promise<void> {
  await Deno.mkdir(cache, { mode: 0o700 });
  await letFunctionsIn(work);
  if (Deno.uid() === 0) await Deno.chown(cache, USER_ID, GROUP_ID);
}

/** Describes an error of the program: its message, and the line of the module if the module threw it. */
function problemOf(
  { errorType, errorMessage, stackTrace = [] }: {
    readonly errorType: string;
    readonly errorMessage: string;
    readonly stackTrace?: readonly string[];
  },
): string {
  const place = stackTrace.find((line) =>
    /:\d+:\d+\)?$/.test(line) && !/task\/index\.js|mate\/bootstrap|\((?:ext|node):/.test(line)
  );
  return [`${errorType}: ${errorMessage}`, ...(place ? [`    ${place.trim()}`] : [])].join("\n");
}

/** The version in the configuration beside the manifest. */
async function versionOf(folder: string): Promise<string> {
  for (const name of [...DENO_CONFIGS, "package.json"]) {
    const text = await Deno.readTextFile(join(folder, name)).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return "";
      throw error;
    });
    const { version } = Object(parse(text));
    if (typeof version === "string" && version !== "") return version;
  }
  return "0.0.0";
}
