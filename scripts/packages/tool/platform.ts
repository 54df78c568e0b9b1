/**
 * Starts the platform of `mate dev` in a test of Node.js, such as with `node --test` or vitest. The module
 * `@mate/cli/platform` of JSR does the same on Deno.
 *
 * @module
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Span } from "../../../cli/dev/traces/span.ts";
import { startTool } from "./deno.ts";
import { tellOfFailures } from "./failures.ts";

export type { Span };

/** How the platform starts. */
export interface PlatformOptions {
  /** The stage. The default is the stage that the manifest names. */
  readonly stage?: string | undefined;
  /** The profile of the AWS tools for services that are not emulated. The default is the keys in the file `.env`. */
  readonly profile?: string | undefined;
  /** The port. If it is 0, the system chooses a free port, which is the default. */
  readonly port?: number | undefined;
  /** The folder for the objects of the buckets. The default is a temporary folder. */
  readonly data?: string | undefined;
  /** The values of secrets, by name. They count before those of the file `.env` beside the manifest. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
  /**
   * With `"skip"`, `settled()` does not wait: the clock of the platform jumps to the next retry, visibility, delay or batch
   * window. The default is `"real"`.
   */
  readonly time?: "real" | "skip" | undefined;
  /**
   * The function that debuggers inspect. The output of the test says how to attach a debugger. The function has one sandbox at a
   * time, and no time-out while a debugger is attached.
   */
  readonly inspect?: string | undefined;
  /**
   * Takes each line of the platform: the URLs, then the log of the functions. By default, the lines go to the output of the
   * test if the start takes long, or if a function or an authorizer fails.
   */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** A running local platform. */
export interface Platform {
  /** The URL of the application, without a slash and the stage at the end. */
  readonly url: string;
  /** The URL of the platform itself, without a slash at the end: the start page, the triggers and the Invoke API. */
  readonly controlUrl: string;
  /** The URL of the local Amazon S3, SNS, SQS, EventBridge and DynamoDB, for `aws --endpoint-url`. */
  readonly servicesUrl: string;
  /**
   * Lists the spans: each request, each invocation, and each call of a service. Secrets are hidden.
   *
   * @param traceId The identifier of a trace, which is the digits of `Root` in the trace header. By default, all spans are listed,
   * those of the oldest trace first.
   */
  traces(traceId?: string): Promise<readonly Span[]>;
  /** Waits until no asynchronous invocation runs and the functions have got all messages and changes. */
  settled(): Promise<void>;
  /** Stops the platform, and waits for its end. */
  stop(): Promise<void>;
  /** The same as `stop()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The lines of `mate dev` that have the URLs. */
const LINES = {
  url: /^ {2}Base URL +(http:\/\/[^/\s]+)/,
  controlUrl: /^ {2}Start page +(http:\/\/\S+)\/$/,
  servicesUrl: /^ {2}Services +aws s3 ls --endpoint-url (\S+)/,
} as const;

/**
 * Starts the platform on this machine, in its own process.
 *
 * @param app The path of the manifest; `app.json` by default.
 * @param options The port, the data, and who gets the log.
 * @returns The platform, as soon as it takes requests.
 * @throws {Error} If the platform cannot start; the message has its output.
 *
 * @example A test
 * ```js ignore
 * import assert from "node:assert/strict";
 * import { after, before, test } from "node:test";
 * import { startPlatform } from "@mate/cli/platform";
 *
 * let platform;
 * before(async () => platform = await startPlatform("app.json"));
 * after(() => platform.stop());
 *
 * test("GET /hello greets", async () => {
 *   const response = await fetch(`${platform.url}/v1/hello?name=Ada`);
 *   assert.equal(response.status, 200);
 * });
 * ```
 */
export async function startPlatform(
  app: string = "app.json",
  options: PlatformOptions = {},
): Promise<Platform> {
  const { port = 0, time = "real", stage, profile, inspect } = options;
  const onLine = options.onLine ?? tellOfFailures();
  const data = options.data ?? await mkdtemp(join(tmpdir(), "mate-data-"));
  const settings = Object.entries({ port, data, time, stage, profile, inspect })
    .flatMap(([name, value]) => value === undefined ? [] : [`--${name}`, `${value}`]);
  const tool = startTool(["dev", app, "--verbose", ...settings], {
    env: { ...process.env, NO_COLOR: "1", MATE_SECRETS: JSON.stringify(options.secrets ?? {}) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => void tool.kill();
  process.once("exit", kill);
  const end = new Promise<void>((resolve) => tool.once("close", () => resolve()))
    .then(async () => {
      process.off("exit", kill);
      if (options.data === undefined) await rm(data, { recursive: true });
    });
  const stop = async () => {
    kill();
    await end;
  };
  const output: string[] = [];
  const urls: Record<string, string> = {};
  await new Promise<void>((resolve, reject) => {
    const take = (line: string) => {
      onLine(line);
      if (INSPECTOR.test(line)) console.error(line.trim());
      if (Object.keys(urls).length === Object.keys(LINES).length) return resolve();
      output.push(line);
      for (const [name, pattern] of Object.entries(LINES)) {
        const url = pattern.exec(line)?.[1];
        if (url !== undefined) urls[name] = url;
      }
    };
    for (const stream of [tool.stdout!, tool.stderr!]) {
      createInterface({ input: stream }).on("line", take);
    }
    tool.once("error", reject);
    end.then(() => reject(new Error(`Cannot start "${app}":\n${output.join("\n")}`)), reject);
  });
  const { url, controlUrl, servicesUrl } = urls as Record<keyof typeof LINES, string>;
  const settled = async () => {
    const response = await fetch(`${controlUrl}/settled`);
    if (!response.ok) throw new Error(`Cannot wait for the functions: ${await response.text()}`);
  };
  const traces = async (traceId?: string) => {
    const query = traceId === undefined ? "" : `?trace=${encodeURIComponent(traceId)}`;
    const { spans } = await (await fetch(`${controlUrl}/spans${query}`)).json();
    return spans as readonly Span[];
  };
  return { url, controlUrl, servicesUrl, traces, settled, stop, [Symbol.asyncDispose]: stop };
}

/** The line of `mate dev` about the inspector. */
const INSPECTOR = /^ {2}Inspector /;
