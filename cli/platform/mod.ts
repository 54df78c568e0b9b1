/**
 * The platform on one machine: an HTTP gateway, the Invoke API, schedules, buckets and topics in front of the functions of
 * an application, for development and tests. {@linkcode startPlatform} starts it in a program; a command runs it from the
 * terminal:
 *
 * ```sh
 * deno run -A jsr:@mate/cli dev app.json
 * ```
 *
 * @module
 */
export type {
  FunctionHost,
  InvokeOptions,
  InvokeOutcome,
  LogRecord,
  ReloadingHost,
} from "./function_host.ts";
export { createInProcessHost, type InProcessHostOptions } from "./in_process_host.ts";
export { Log, type LogEntry } from "./log.ts";
export { parseManifest, readManifest } from "../manifest/manifest.ts";
export type * from "../manifest/types.ts";
export { type Platform, type PlatformOptions, startPlatform } from "./platform.ts";
export { createSandboxHost, type SandboxHostOptions } from "./sandbox/host.ts";
export { PortTakenError } from "./server.ts";
