/**
 * The resolved application: every name, right and default of a manifest, for this machine or for an account of AWS.
 *
 * @module
 */
import { fillAll, secretPath, secretsIn, usedNames } from "../manifest/variables.ts";
import { refuseManifest } from "../manifest/manifest_text.ts";
import { arnPlaceholder } from "../manifest/references.ts";
import type { FunctionManifest, Manifest, Runtime } from "../manifest/types.ts";
import { arnIn, functionName, type Place } from "../rules/arn.ts";
import { codeOf } from "./code.ts";
import { METRICS, resolveGateway } from "./gateway.ts";
import { accountProblems } from "./names.ts";
import { isRule, listenersOf, mapValues, resolveResources, triggerName } from "./resources.ts";
import { statementsOf } from "./statements.ts";
import type {
  Alarm,
  Application,
  ApplicationFunction,
  Resources,
  Rule,
  Schedule,
} from "./types.ts";

/**
 * Resolves an application: names everything in the account, and computes all rights.
 *
 * @param place The account and the region. They are parts of the names, the ARNs and the values of placeholders.
 * @returns The application, as pure data.
 * @throws {TypeError} If a name is longer than its service allows, or two things have the same name. The message names the keys and
 * their lines.
 */
export function resolveApplication(manifest: Manifest, place: Place): Application {
  checkNames(manifest);
  return resolve(manifest, place);
}

/**
 * Checks the names and the limits of an application in the account.
 *
 * @throws {TypeError} As {@linkcode resolveApplication}.
 */
export function checkNames(manifest: Manifest): void {
  // Only Terraform knows the values of a deployment, so names are measured with other values.
  const region = manifest.region ?? "us-east-1";
  const measured = resolve(manifest, { partition: "aws", account: "123456789012", region });
  refuseManifest(manifest, accountProblems(measured, manifest));
}

function resolve(manifest: Manifest, place: Place): Application {
  const { name, stage, architecture, tracing, settings } = manifest;
  const { partition, account, region } = place;
  const resources = resolveResources(manifest, place);
  const arns = arnsOf(manifest, resources, place);
  const logGroup = `/mate/${name}`;
  const functions = mapValues(manifest.functions, (settings, key): ApplicationFunction => ({
    name: functionName(manifest, key),
    arn: arnIn(place, "lambda", `function:${functionName(manifest, key)}`),
    role: `${name}-${key}-${region}`,
    statements: fillIn(statementsOf(manifest, key, resources, place), place, arns),
    logGroup: `/aws/lambda/${functionName(manifest, key)}`,
    code: codeOf(manifest, key),
    handler: `index.${settings.handler}`,
    runtime: settings.runtime,
    description: settings.description,
    memory: settings.memory,
    timeout: settings.timeout,
    ephemeralStorage: settings.ephemeralStorage,
    reservedConcurrency: settings.reservedConcurrency,
    environment: environmentOf(settings, resources, place, arns),
    url: settings.triggers.url && {
      cors: undefined,
      ...settings.triggers.url,
      stack: `${name}-${key}-url`,
    },
    schedules: settings.triggers.schedules.map((schedule) =>
      triggerName({ name: functionName(manifest, key) }, schedule)
    ),
  }));
  const gateway = resolveGateway(manifest, (value) => fillIn(value, place));
  const application = {
    name,
    stage,
    furtherStage: manifest.furtherStage,
    architecture,
    tracing,
    partition,
    account,
    region,
    settings: fillIn({
      vpc: undefined,
      alarms: undefined,
      ...settings,
      domain: settings.domain && { basePath: undefined, ...settings.domain },
    }, place),
    tags: { ...settings.tags, application: name, stage, "managed-by": "terraform" },
    layer: `${name}-deno-${architecture}`,
    logGroup: { name: logGroup, arn: arnIn(place, "logs", `log-group:${logGroup}`) },
    api: manifest.api,
    secrets: { path: secretPath(manifest), owners: Object.fromEntries(secretsIn(manifest)) },
    functions,
    gateway,
    ...resources,
    ...resolveSchedules(manifest, functions, place),
    records: settings.domain?.zone === undefined ? [] : ["A" as const],
  };
  return { ...application, alarms: settings.alarms ? alarmsOf(application) : {} };
}

/** Makes the rules and the schedules of all functions. */
function resolveSchedules(
  manifest: Manifest,
  functions: Application["functions"],
  place: Place,
): Pick<Application, "rules" | "schedules" | "scheduler"> {
  const rules: Record<string, Rule> = {};
  const schedules: Record<string, Schedule> = {};
  for (const { function: key, ...schedule } of listenersOf(manifest, "schedules")) {
    const name = triggerName(functions[key]!, schedule);
    const { expression, timezone } = schedule;
    const input = schedule.input === undefined ? undefined : JSON.stringify(schedule.input);
    if (isRule(schedule)) {
      rules[name] = { function: key, bus: "default", expression, pattern: undefined, input };
    } else {
      schedules[name] = { function: key, expression, timezone, input };
    }
  }
  for (const { function: key, ...event } of listenersOf(manifest, "events")) {
    const name = triggerName(functions[key]!, event);
    const filled = fillIn(event, place);
    rules[name] = { function: key, expression: undefined, input: undefined, ...filled };
  }
  const keys = new Set(Object.values(schedules).map((schedule) => schedule.function));
  const Resource = [...keys].map((key) => functions[key]!.arn);
  const scheduler = {
    role: `${manifest.name}-${place.region}-scheduler`,
    statements: [{ Effect: "Allow" as const, Action: ["lambda:InvokeFunction"], Resource }],
  };
  return { rules, schedules, scheduler: keys.size > 0 ? scheduler : undefined };
}

/** The environment of a function: its own variables, and the names of the resources that it uses. */
function environmentOf(
  { environment, runtime, uses }: FunctionManifest,
  { buckets, topics, queues, tables }: Resources,
  place: Place,
  arns: Names,
): Record<string, string> {
  const url = place.queues ?? `https://sqs.${place.region}.amazonaws.com/${place.account}`;
  const names = usedNames(uses, {
    buckets: (key) => buckets[key]!.name,
    topics: (key) => topics[key]!.arn,
    queues: (key) => `${url}/${queues[key]!.name}`,
    tables: (key) => tables[key]!.name,
  });
  const filled = fillIn(environment, place, { ...arns, ...names });
  return { ...withSourceMaps(runtime, filled), ...names };
}

/** The values of placeholders by name. */
type Names = Readonly<Record<string, string>>;

/** The ARNs of all functions and resources by their placeholders. */
function arnsOf(manifest: Manifest, resources: Resources, place: Place): Names {
  const functions = mapValues(manifest.functions, (_, key) => ({
    arn: arnIn(place, "lambda", `function:${functionName(manifest, key)}`),
  }));
  const kinds = Object.entries({ ...resources, functions }) as [
    keyof Resources | "functions",
    Readonly<Record<string, { readonly arn: string }>>,
  ][];
  return Object.fromEntries(
    kinds.flatMap(([kind, named]) =>
      Object.entries(named).map(([key, { arn }]) => [arnPlaceholder(kind, key), arn])
    ),
  );
}

/** Adds the option without which the traces of Node.js do not name the author's files. */
export function withSourceMaps(
  runtime: Runtime,
  environment: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { NODE_OPTIONS = "" } = environment;
  const option = "--enable-source-maps";
  if (runtime === "deno" || NODE_OPTIONS.split(/\s+/).includes(option)) return environment;
  return { ...environment, NODE_OPTIONS: `${option} ${NODE_OPTIONS}`.trim() };
}

/** Replaces the placeholders in all texts of a value. IAM's own variables, such as `${aws:username}`, stay. */
function fillIn<T>(value: T, place: Place, names: Names = {}): T {
  const { account, region, infra = (name) => `\${infra.${name}}` } = place;
  const known: Names = { ...names, account, region };
  const valueOf = (name: string) =>
    Object.hasOwn(known, name)
      ? known[name]!
      : name.startsWith("infra.")
      ? infra(name.slice("infra.".length))
      : `\${${name}}`;
  return fillAll(value, valueOf);
}

/** Makes the alarms of an application: errors and throttles of functions, dead letters, 5xx of the HTTP gateway. */
function alarmsOf(application: Omit<Application, "alarms">): Record<string, Alarm> {
  const { name, functions, queues, tables, gateway } = application;
  const deadLetters = [
    ...Object.values(queues).map((queue) => queue.deadLetters),
    ...Object.values(tables).flatMap(({ listeners }) =>
      listeners.map((listener) => listener.deadLetters)
    ),
  ];
  return Object.fromEntries([
    ...Object.values(functions).flatMap((fn) =>
      ["Errors", "Throttles"].map((metric) => [
        `${fn.name}-${metric.toLowerCase()}`,
        {
          description: `${metric} of the function ${fn.name}`,
          namespace: "AWS/Lambda",
          metric,
          statistic: "Sum",
          dimensions: { FunctionName: fn.name },
        },
      ])
    ),
    ...deadLetters.map((queue) => [
      queue.name,
      {
        description: `Messages in the dead-letter queue ${queue.name}`,
        namespace: "AWS/SQS",
        metric: "ApproximateNumberOfMessagesVisible",
        statistic: "Maximum",
        dimensions: { QueueName: queue.name },
      },
    ]),
    ...gateway === undefined ? [] : [[
      `${name}-5xx`,
      {
        description: `Responses 5xx of the HTTP gateway of ${name}`,
        namespace: "AWS/ApiGateway",
        statistic: "Sum",
        ...METRICS[gateway.kind](name, gateway.stage),
      },
    ]],
  ]);
}
