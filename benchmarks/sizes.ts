import * as esbuild from "esbuild";
import { gzipSync } from "node:zlib";

/** The size of an import in a bundle, minified and gzipped, in bytes. */
export interface Size {
  /** The module, such as `gateway`. */
  readonly room: string;
  /** The imported names. */
  readonly names: string;
  readonly size: number;
  /** The size that the import must not exceed. */
  readonly limit: number;
}

const LIMITS = [
  ["gateway", "proxyHandler", 16_920],
  ["gateway", "proxyHandler, cors, etag, problemDetails", 18_635],
  ["gateway", "proxyHandler, routes", 18_435],
  ["gateway", "proxyHandler, routes, implement", 19_645],
  ["gateway", "proxyHandler, routes, implement, openApi", 22_335],
  ["gateway", "fetchHandler", 17_090],
  ["gateway", "streamHandler", 16_980],
  ["gateway", "buildHttpResponse", 7_680],
  ["gateway", "FnProxyEvent", 7_130],
  ["gateway", "HttpNotFoundError", 1_000],
  ["client", "createClient", 600],
  ["logger", "logger", 3_925],
  ["web", "toFetch", 8_785],
  ["web", "listen", 11_335],
  ["function", "FnEvent", 1_000],
  ["scheduler", "FnBridgePutEvent", 2_000],
  ["storage", "FnNotificationEvent", 2_500],
  ["topic", "FnMessageEvent", 3_000],
  ["queue", "queueHandler", 7_420],
  ["table", "tableHandler", 6_580],
  ["idempotency", "idempotent, tableStore", 7_375],
] as const;

/** Measures the size of each import. */
export async function measureSizes(): Promise<Size[]> {
  try {
    return await Promise.all(LIMITS.map(async ([room, names, limit]) => {
      const contents = await bundleImport(room, names);
      return { room, names, limit, size: gzipSync(contents, { level: 9 }).length };
    }));
  } finally {
    await esbuild.stop();
  }
}

/** Bundles and minifies an import. The process of esbuild stays until `esbuild.stop()`. */
export async function bundleImport(room: string, names: string): Promise<Uint8Array> {
  const { outputFiles: [file] } = await esbuild.build({
    stdin: {
      contents: `export { ${names} } from "../${room}/mod.ts";`,
      resolveDir: new URL(".", import.meta.url).pathname,
    },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  return file!.contents;
}
