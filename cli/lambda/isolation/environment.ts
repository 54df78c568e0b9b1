import { REGION } from "../../rules/arn.ts";
import type { ApplicationFunction, LogFormat } from "../../application/types.ts";
import { passEnvironment, PROXY_VARIABLES } from "./passed_environment.ts";

/**
 * Makes the environment variables of a function on AWS Lambda, without the address of the Runtime API and without
 * credentials. No variable comes from this machine. The runtime sets the variables of the manifest in the process of the
 * function. Only the variables of `uses` and of proxies are set before, because the bootstrap script reads them, and
 * `NODE_OPTIONS`, if it cannot widen the permissions of Node.js.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
export function lambdaEnvironment(
  { name, runtime, memory, handler, environment, code }: ApplicationFunction,
  { task, logStream, logFormat = "Text", isConfined = true }: {
    readonly task: string;
    readonly logStream: string;
    readonly logFormat?: LogFormat | undefined;
    /** Whether the process has a root folder of its own. If not, only the permissions of Node.js protect the files. */
    readonly isConfined?: boolean;
  },
): Record<string, string> {
  const early = new Set([...code.variables, ...PROXY_VARIABLES]);
  if (runtime !== "deno" && isConfined) early.add("NODE_OPTIONS");
  const { true: before = [], false: inside = [] } = Object.groupBy(
    Object.entries(environment),
    ([variable]) => `${early.has(variable)}` as const,
  );
  return {
    ...Object.fromEntries(before),
    ...passEnvironment(Object.fromEntries(inside)),
    LANG: "en_US.UTF-8",
    LD_LIBRARY_PATH: `/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:${task}:${task}/lib:/opt/lib`,
    PATH: "/usr/local/bin:/usr/bin/:/bin:/opt/bin",
    TZ: ":UTC",
    AWS_DEFAULT_REGION: REGION,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: logStream,
    AWS_REGION: REGION,
    LAMBDA_RUNTIME_DIR: "/var/runtime",
    LAMBDA_TASK_ROOT: task,
    ...logFormat === "Text"
      ? {}
      : { AWS_LAMBDA_LOG_FORMAT: logFormat, AWS_LAMBDA_LOG_LEVEL: "INFO" },
    _HANDLER: handler,
  };
}
