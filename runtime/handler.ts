import type { FnHandler } from "../function/context.ts";
import { describeFailure, RuntimeFailure } from "./failure.ts";
import type { Host } from "./host.ts";

const EXTENSIONS = [".js", ".mjs", ".cjs", ".ts", ".mts"];

/**
 * Loads the handler that `_HANDLER` names: a module below `LAMBDA_TASK_ROOT` without its extension, a full stop, and
 * the name of the export, such as `index.handler` or `orders/index.handler`.
 *
 * @throws {RuntimeFailure} If the handler cannot be loaded. The name of the error says why. An error that the module
 * throws passes through.
 */
export async function loadHandler(host: Host): Promise<FnHandler> {
  const name = host.getEnv("_HANDLER") ?? "";
  const { module, path } = parseName(name);
  const file = findFile(host, module, name);
  const handler = findExport(await importModule(file, name), path);
  if (handler === undefined) {
    const message = `Cannot load the handler "${name}": "${file}" exports no "${path.join(".")}"`;
    throw new RuntimeFailure("Runtime.HandlerNotFound", message);
  }
  checkHandler(handler, name);
  return handler;
}

/** Checks that a value can be a handler: a function that takes no callback. */
export function checkHandler(handler: unknown, name: string): asserts handler is FnHandler {
  if (typeof handler !== "function") {
    const isApplication = typeof (handler as { fetch?: unknown } | null)?.fetch === "function";
    const hint = isApplication ? "; make a handler of the application with fetchHandler()" : "";
    throw new RuntimeFailure(
      "Runtime.HandlerNotFound",
      `Cannot use the handler "${name}": expected a function, got ${typeof handler}${hint}`,
    );
  }
  if (handler.length > 2) {
    throw new RuntimeFailure(
      "Runtime.CallbackHandlerDeprecated",
      `Cannot use the handler "${name}": it takes a callback; return the result or a promise of it`,
    );
  }
}

/** Splits the name of a handler into the module and the path of the export. */
function parseName(name: string): { module: string; path: string[] } {
  const slash = name.lastIndexOf("/") + 1;
  const [file, ...path] = name.slice(slash).split(".");
  if (!file || path.length === 0 || path.includes("") || name.includes("..")) {
    throw new RuntimeFailure(
      "Runtime.MalformedHandlerName",
      `Invalid _HANDLER ${
        JSON.stringify(name)
      }: expected a module and an export such as index.handler, without ".."`,
    );
  }
  return { module: name.slice(0, slash) + file, path };
}

function findFile(host: Host, module: string, name: string): string {
  const root = host.getEnv("LAMBDA_TASK_ROOT") ?? "";
  const base = module.startsWith("/") ? module : `${root}/${module}`;
  for (const extension of EXTENSIONS) {
    if (host.isFile(base + extension)) return base + extension;
  }
  throw new RuntimeFailure(
    "Runtime.ImportModuleError",
    `Cannot load the handler "${name}": no module "${base}" with ${EXTENSIONS.join(", ")}`,
  );
}

async function importModule(file: string, name: string): Promise<Record<string, unknown>> {
  const url = "file://" + file.split("/").map(encodeURIComponent).join("/");
  try {
    return await import(url);
  } catch (cause) {
    const { errorMessage } = describeFailure(cause);
    const message = `Cannot load the handler "${name}": ${errorMessage}`;
    // Deno reports a syntax error with the same code as a missing module.
    if (cause instanceof SyntaxError || /^SyntaxError\b/.test(errorMessage)) {
      throw new RuntimeFailure("Runtime.UserCodeSyntaxError", message, { cause });
    }
    const code = (cause as { code?: unknown } | null | undefined)?.code;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
      throw new RuntimeFailure("Runtime.ImportModuleError", message, { cause });
    }
    throw cause;
  }
}

/** Returns the value at the end of a path of exports. A method stays bound to its object. */
function findExport(namespace: Record<string, unknown>, path: readonly string[]): unknown {
  let owner: unknown;
  // Some exports of a CommonJS module are only in its default export.
  let value: unknown = Object.hasOwn(namespace, path[0]!) ? namespace : namespace.default;
  for (const key of path) {
    owner = value;
    value = (owner as Record<string, unknown> | null | undefined)?.[key];
  }
  return typeof value === "function" ? value.bind(owner) : value;
}
