import { assert, assertEquals } from "@std/assert";
import type { Manifest } from "../../../cli/manifest/manifest.ts";
import { type Cloud, list } from "./cloud.ts";

/** What the deployment should be like. */
export interface Expected {
  readonly manifest: Manifest;
  readonly region: string;
  readonly account: string;
  readonly architecture: string;
}

const TAGS = { application: "", "managed-by": "terraform" };

/** The checks of a whole deployment, each with the rule it holds. */
export const CHECKS: Record<string, (cloud: Cloud, expected: Expected) => Promise<void>> = {
  "every function has its handler, layer, memory, time-out, architecture and tags": functions,
  "every function may write to its own log group and nothing else": roles,
  "every function has a log group whose records expire": logGroups,
  "the gateway has the manifest's routes, stage, binary types and throttling": gateway,
  "every function may be invoked by its own triggers and nothing else": invokers,
  "the schedule invokes its function": schedule,
  "the bucket is private, encrypted, and notifies its function": bucket,
  "the topic has its function as the only subscriber": topic,
};

async function functions(cloud: Cloud, expected: Expected): Promise<void> {
  const { manifest, architecture } = expected;
  const deployed = await cloud.functions();
  assertEquals(
    [...deployed.keys()].sort(),
    Object.keys(manifest.functions).map((key) => `${manifest.name}-${key}`).sort(),
  );
  const layers = new Set<string>();
  for (const [key, wanted] of Object.entries(manifest.functions)) {
    const name = `${manifest.name}-${key}`;
    const found = deployed.get(name);
    assertEquals({
      handler: found?.Handler,
      memory: found?.MemorySize,
      timeout: found?.Timeout,
      architectures: found?.Architectures,
      runtime: found?.Runtime,
      description: found?.Description,
      environment: found?.Environment?.Variables ?? {},
      role: found?.Role,
      tags: found?.tags,
    }, {
      handler: `index.${wanted.handler}`,
      memory: wanted.memory,
      timeout: wanted.timeout,
      architectures: [architecture as "x86_64" | "arm64"],
      runtime: "provided.al2023",
      description: wanted.description,
      environment: { ...wanted.environment },
      role: `arn:aws:iam::${expected.account}:role/${name}-${expected.region}`,
      tags: { ...TAGS, application: manifest.name },
    });
    for (const layer of found?.Layers ?? []) layers.add(layer.Arn ?? "");
    assertEquals(found?.Layers?.length, 1, `${name} has one layer`);
  }
  assertEquals(layers.size, 1, "all functions share one layer");
  const layer = await cloud.layer([...layers][0] ?? "");
  assertEquals(layer.CompatibleRuntimes, ["provided.al2023"]);
  assertEquals(layer.CompatibleArchitectures, [architecture as "x86_64" | "arm64"]);
  assert((layer.Content?.CodeSize ?? 0) > 10_000_000, "the layer holds Deno");
}

async function roles(cloud: Cloud, { manifest, region, account }: Expected): Promise<void> {
  const deployed = await cloud.roles();
  assertEquals(deployed.size, Object.keys(manifest.functions).length);
  for (const key of Object.keys(manifest.functions)) {
    const name = `${manifest.name}-${key}`;
    const role = deployed.get(`${name}-${region}`);
    assertEquals(role?.attached, []);
    assertEquals(
      role?.statements.map((statement) => ({
        effect: statement.Effect,
        actions: list(statement.Action).toSorted(),
        resources: list(statement.Resource),
      })),
      [{
        effect: "Allow",
        actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
        resources: [`arn:aws:logs:${region}:${account}:log-group:/aws/lambda/${name}:*`],
      }],
    );
    assertEquals(
      role?.trust.map(({ Effect, Action, Principal }) => [Effect, Action, Principal]),
      [["Allow", "sts:AssumeRole", { Service: "lambda.amazonaws.com" }]],
    );
    assertEquals(tagsOf(role?.tags), { ...TAGS, application: manifest.name });
  }
}

async function logGroups(cloud: Cloud, { manifest }: Expected): Promise<void> {
  const deployed = await cloud.logGroups();
  assertEquals(
    deployed.map((group) => [group.logGroupName, group.retentionInDays, group.tags])
      .toSorted(byName),
    Object.keys(manifest.functions)
      .map((key) => [
        `/aws/lambda/${manifest.name}-${key}`,
        14,
        { ...TAGS, application: manifest.name },
      ])
      .toSorted(byName),
  );
}

async function gateway(cloud: Cloud, expected: Expected): Promise<void> {
  const { manifest, region, account } = expected;
  const [found, ...others] = await cloud.gateways();
  assertEquals(others, [], "there is one gateway");
  assertEquals(found?.binaryMediaTypes, ["*/*"]);
  assertEquals(found?.endpointConfiguration?.types, ["REGIONAL"]);
  assertEquals(found?.tags, { ...TAGS, application: manifest.name });
  const routes = (found?.resources ?? []).flatMap(({ path, resourceMethods = {} }) =>
    Object.entries(resourceMethods).map((
      [method, { authorizationType, methodIntegration: to }],
    ) => [
      `${method} ${path}`,
      authorizationType,
      to?.type,
      to?.httpMethod,
      to?.uri,
    ])
  );
  const wanted = Object.entries(manifest.functions).flatMap(([key, { triggers }]) =>
    triggers.routes.map(({ method, path }) => [
      `${method} ${path}`,
      "NONE",
      "AWS_PROXY",
      "POST",
      `arn:aws:apigateway:${region}:lambda:path/2015-03-31/functions/` +
      `arn:aws:lambda:${region}:${account}:function:${manifest.name}-${key}/invocations`,
    ])
  );
  assertEquals(routes.toSorted(byName), wanted.toSorted(byName));

  assertEquals(found?.stages.map(({ stageName }) => stageName), [manifest.stage]);
  const { throttlingRateLimit, throttlingBurstLimit } = found?.stages[0]?.methodSettings?.["*/*"] ??
    {};
  assertEquals([throttlingRateLimit, throttlingBurstLimit], [10, 20]);
  for (const type of ["DEFAULT_4XX", "DEFAULT_5XX"]) {
    const response = found?.responses.find(({ responseType }) => responseType === type);
    assertEquals(response?.responseParameters, {
      "gatewayresponse.header.Access-Control-Allow-Origin": "'*'",
    });
  }
}

async function invokers(cloud: Cloud, expected: Expected): Promise<void> {
  const { manifest, region, account } = expected;
  const [gateway] = await cloud.gateways();
  for (const [name, { invokers: found }] of await cloud.functions()) {
    const { triggers } = manifest.functions[name.slice(manifest.name.length + 1)]!;
    const wanted: unknown[] = triggers.routes.map(({ method, path }) => [
      "apigateway.amazonaws.com",
      `arn:aws:execute-api:${region}:${account}:${gateway?.id}/*/` +
      `${method === "ANY" ? "*" : method}${path.replaceAll(/\{[^}]*\}/g, "*")}`,
      undefined,
    ]);
    for (const _ of triggers.schedules) {
      const rule = `arn:aws:events:${region}:${account}:rule/${name}`;
      wanted.push(["events.amazonaws.com", rule, undefined]);
    }
    for (const bucket of triggers.buckets) {
      const arn = `arn:aws:s3:::${bucketName(bucket.name, expected)}`;
      wanted.push(["s3.amazonaws.com", arn, account]);
    }
    for (const topic of triggers.topics) {
      const arn = `arn:aws:sns:${region}:${account}:${manifest.name}-${topic.name}`;
      wanted.push(["sns.amazonaws.com", arn, undefined]);
    }
    assertEquals(
      found.map(({ Effect, Action, Principal, Condition }) => {
        assertEquals([Effect, Action], ["Allow", "lambda:InvokeFunction"]);
        return [
          Principal?.Service,
          Condition?.ArnLike?.["AWS:SourceArn"],
          Condition?.StringEquals?.["AWS:SourceAccount"],
        ];
      }).toSorted(byName),
      wanted.toSorted(byName),
      name,
    );
  }
}

async function schedule(cloud: Cloud, { manifest, region, account }: Expected): Promise<void> {
  const wanted = Object.entries(manifest.functions).flatMap(([key, { triggers }]) => {
    const name = `${manifest.name}-${key}`;
    const target = `arn:aws:lambda:${region}:${account}:function:${name}`;
    return triggers.schedules.map(({ expression }) => [name, expression, "ENABLED", [target]]);
  });
  const rules = await cloud.rules();
  assertEquals(
    rules.map((rule) => [
      rule.Name,
      rule.ScheduleExpression,
      rule.State,
      rule.targets.map(({ Arn }) => Arn),
    ]),
    wanted,
  );
}

async function bucket(cloud: Cloud, expected: Expected): Promise<void> {
  const { manifest, region, account } = expected;
  const wanted = Object.entries(manifest.functions).flatMap(([key, { triggers }]) =>
    triggers.buckets.map((bucket) => ({
      name: bucketName(bucket.name, expected),
      listeners: [[
        `arn:aws:lambda:${region}:${account}:function:${manifest.name}-${key}`,
        bucket.events.toSorted(),
      ]],
      access: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      encryption: ["AES256"],
      tags: { ...TAGS, application: manifest.name },
    }))
  );
  const found = (await cloud.buckets()).map(({ name, listeners, access, encryption, tags }) => ({
    name,
    listeners: listeners.map((
      { LambdaFunctionArn, Events },
    ) => [LambdaFunctionArn, Events?.toSorted()]),
    access,
    encryption: encryption.map((rule) => rule.ApplyServerSideEncryptionByDefault?.SSEAlgorithm),
    tags: tagsOf(tags),
  }));
  assertEquals(found as unknown, wanted);
}

async function topic(cloud: Cloud, { manifest, region, account }: Expected): Promise<void> {
  const wanted = Object.entries(manifest.functions).flatMap(([key, { triggers }]) =>
    triggers.topics.map((topic) => ({
      arn: `arn:aws:sns:${region}:${account}:${manifest.name}-${topic.name}`,
      subscriptions: [[
        "lambda",
        `arn:aws:lambda:${region}:${account}:function:${manifest.name}-${key}`,
      ]],
      tags: { ...TAGS, application: manifest.name },
    }))
  );
  const found = (await cloud.topics()).map(({ arn, subscriptions, tags }) => ({
    arn,
    subscriptions: subscriptions.map(({ Protocol, Endpoint }) => [Protocol, Endpoint]),
    tags: tagsOf(tags),
  }));
  assertEquals(found as unknown, wanted);
}

function bucketName(bucket: string, { manifest, account, region }: Expected): string {
  return `${manifest.name}-${bucket}-${account}-${region}`;
}

function tagsOf(
  tags: readonly { Key?: string | undefined; Value?: string | undefined }[] = [],
): Record<string, string> {
  return Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value]));
}

function byName(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
