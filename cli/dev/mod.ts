/**
 * The platform on one machine, for development and tests. It plays Amazon API Gateway, function URLs, the Invoke API of AWS
 * Lambda, Amazon EventBridge, S3, SNS, SQS and DynamoDB for the functions of an application. {@linkcode startPlatform} starts the
 * platform in a program. This command starts it in the terminal:
 *
 * ```sh
 * deno run --no-config -A jsr:@mate/cli dev app.json
 * ```
 *
 * @module
 */
export type {
  FunctionHost,
  InvocationFacts,
  InvokeOptions,
  InvokeOutcome,
  LogRecord,
  Payload,
  Rest,
  TriggerType,
} from "../lambda/function_host.ts";
export type { Stopwatch } from "../lambda/stopwatch.ts";
export { Log, type LogEntry } from "../lambda/log.ts";
export type { SecretValues } from "../manifest/local_values.ts";
export { parseManifest, readManifest } from "../manifest/manifest.ts";
export type * from "../manifest/types.ts";
export { type Platform, type PlatformOptions, startPlatform } from "./platform.ts";
export {
  createSandboxHost,
  type ReloadingHost,
  type SandboxHostOptions,
} from "./manifest_hosts.ts";
export type { HostOptions } from "./sandbox_host/host.ts";
export { PortTakenError } from "./server.ts";
export type { Attributes, Span, SpanError, SpanLink, SpanType } from "./traces/span.ts";
