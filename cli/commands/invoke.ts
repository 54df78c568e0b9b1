import {
  checkFunction,
  type Command,
  DATA,
  defineCommand,
  IS_FROM_NPM,
  MANIFEST,
  PROFILE,
  STAGE,
} from "./command.ts";
import { functionName } from "../rules/arn.ts";
import { visibleJson } from "../rules/visible_text.ts";
import { callAws, sdkPermissions } from "./aws.ts";
import type { PlatformOptions } from "../dev/platform.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { UsageError } from "../manifest/nearest.ts";

/** The functions of the library that make events of triggers, with what the events are about. */
const BUILDERS = {
  routes: ["an HTTP request", "proxyEvent"],
  url: ["an HTTP request", "proxyEvent"],
  schedules: ["a schedule", "scheduledEvent"],
  events: ["Amazon EventBridge", "scheduledEvent"],
  buckets: ["a bucket", "notificationEvent"],
  topics: ["a topic", "messageEvent"],
  queues: ["a queue", "queueEvent"],
  tables: ["a table", "tableEvent"],
} as const;

/** `mate invoke` */
export const invoke: Command = defineCommand({
  name: "invoke",
  arguments: ["FUNCTION", "[MANIFEST]"],
  summary: "Invokes a function once, and prints its result",
  details:
    `MANIFEST is ${MANIFEST} by default. The function runs on this machine, with everything that it uses: on
the platform of "mate dev" if that runs, or else on one of its own, whose buckets and tables are empty. With
--stage or --profile, it has a platform of its own. The result goes to the standard output, and the log to
the standard error.

@mate/core/testing makes events, for example the event of a route:
  ${
      IS_FROM_NPM
        ? `node --input-type=module -e 'import { proxyEvent } from "@mate/core/testing";`
        : `deno eval 'import { proxyEvent } from "jsr:@mate/core/testing";`
    }
    const request = new Request("https://example.com/hello/7?name=Ada");
    const event = await proxyEvent(request, { route: "GET /hello/{id}" });
    console.log(JSON.stringify(event))' | mate invoke hello --event -`,
  options: {
    stage: STAGE,
    profile: PROFILE,
    event: {
      value: "JSON",
      default: "{}",
      description: "The event; - reads it from the standard input",
    },
    deployed: { description: "Invoke the deployed function on AWS Lambda" },
    data: DATA,
    json: { description: "Print the result, the error and the log as JSON" },
  },
  permissions: ([_name, path = MANIFEST], { deployed }) =>
    deployed ? sdkPermissions(path) : undefined,
  async run(
    [name = "", path = MANIFEST],
    { stage, profile, event, deployed, data, json },
    { signal, print, note },
  ) {
    const text = event === "-" ? await new Response(Deno.stdin.readable).text() : event;
    checkJson(text);
    const { readManifest } = await import("../manifest/manifest.ts");
    const manifest = await readManifest(path, stage);
    checkFunction(manifest, name);
    const { findRunning } = await import("../dev/running_platform.ts");
    const { InvokeCommand, LambdaClient } = await import("@aws-sdk/client-lambda");
    await using stack = new AsyncDisposableStack();
    // The platform that runs may have another stage or another login.
    const isOwn = deployed || stage !== undefined || profile !== undefined;
    const running = isOwn ? undefined : await findRunning(path, manifest.name, data);
    const say = json ? () => {} : note;
    if (running !== undefined) {
      say(`Invoking "${name}" on the platform of ${manifest.name} at ${new URL(running).origin}`);
    } else if (!deployed) say(`Bundling "${name}"`);
    const local = deployed ? {} : settingsOf(
      running ?? await startLocal(stack, path, { stage, profile, signal }, say),
    );
    const client = new LambdaClient({
      ...(manifest.region === undefined ? {} : { region: manifest.region }),
      ...local,
    });
    const action = `Cannot invoke "${name}"`;
    const outcome = await callAws(action, () =>
      client.send(
        new InvokeCommand({
          FunctionName: deployed ? functionName(manifest, name) : name,
          Payload: new TextEncoder().encode(text),
          LogType: "Tail",
        }),
        { abortSignal: signal },
      ));
    const payload = new TextDecoder().decode(outcome.Payload);
    const log = new TextDecoder().decode(Uint8Array.fromBase64(outcome.LogResult ?? ""));
    const isError = outcome.FunctionError !== undefined;
    if (json) {
      const result = JSON.parse(payload);
      print(visibleJson(JSON.stringify({ isError, result, log }, undefined, 2)));
    } else {
      // A stack trace is one record of the log, with carriage returns before its indented lines.
      if (deployed || running !== undefined) note(log.trimEnd().replaceAll(/\r(?= )/g, "\n"));
      print(visibleJson(payload));
    }
    const hint = event === "{}" ? hintFor(manifest, name, isError) : undefined;
    if (hint !== undefined) note(hint);
    return !isError;
  },
});

/** Says which event a function expects, if it has failed, or answers HTTP requests, where a failure is an answer. */
function hintFor(manifest: Manifest, name: string, isError: boolean): string | undefined {
  const { triggers } = manifest.functions[name]!;
  const kinds = Object.keys(BUILDERS) as (keyof typeof BUILDERS)[];
  const kind = kinds.find((kind) => [triggers[kind] ?? []].flat().length > 0);
  if (kind === undefined || !isError && kind !== "routes" && kind !== "url") return undefined;
  const [subject, builder] = BUILDERS[kind];
  return `"${name}" expects an event of ${subject}, and got "{}": pass one with --event. ` +
    `${builder}() of @mate/core/testing makes it, as "mate invoke --help" shows`;
}

function checkJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const detail = (error as Error).message;
    throw new UsageError(`Invalid event: ${detail}; "--event -" reads it from the standard input`);
  }
}

/** Starts the platform for one invocation, until the stack ends, and returns its URL. Its log goes to `note`. */
async function startLocal(
  stack: AsyncDisposableStack,
  manifestPath: string,
  options: PlatformOptions,
  note: (line: string) => void,
): Promise<string> {
  const { detectIsolation } = await import("../lambda/isolation/isolation.ts");
  detectIsolation().catch(() => {}); // It starts programs while the other modules are loaded. The host gets the error.
  const { Log } = await import("../lambda/log.ts");
  const { startPlatform } = await import("../dev/platform.ts");
  const { formatRecord } = await import("../dev/terminal.ts");
  const log = new Log();
  stack.defer(log.follow((record) => note(formatRecord(record, false))));
  const platform = stack.use(
    await startPlatform(manifestPath, { ...options, log, bundling: "when invoked" }),
  );
  return platform.controlUrl;
}

/** The settings of a client of a platform. */
function settingsOf(endpoint: string) {
  return {
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  };
}
