import { APIGateway } from "@aws-sdk/client-api-gateway";
import { CloudWatch } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import { DynamoDB } from "@aws-sdk/client-dynamodb";
import { EventBridge } from "@aws-sdk/client-eventbridge";
import { IAM } from "@aws-sdk/client-iam";
import { Lambda } from "@aws-sdk/client-lambda";
import { Route53 } from "@aws-sdk/client-route-53";
import { S3 } from "@aws-sdk/client-s3";
import { Scheduler } from "@aws-sdk/client-scheduler";
import { SNS } from "@aws-sdk/client-sns";
import { SQS } from "@aws-sdk/client-sqs";

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: string | string[];
  readonly Principal?: Record<string, string> | string;
  readonly Condition?: unknown;
}

/** Reads the deployed resources from the cloud with the AWS SDK, not from the state of Terraform. */
export class Cloud {
  readonly #lambda = new Lambda();
  readonly #gateway = new APIGateway();
  readonly #logs = new CloudWatchLogs();
  readonly #events = new EventBridge();
  readonly #iam = new IAM();
  readonly #s3 = new S3({ forcePathStyle: true });
  readonly #sns = new SNS();
  readonly #sqs = new SQS();
  readonly #tables = new DynamoDB();
  readonly #scheduler = new Scheduler();
  readonly #cloudWatch = new CloudWatch();
  readonly #route53 = new Route53();

  /** The functions by name, each with the statements about who may invoke it. */
  async functions() {
    const { Functions = [] } = await this.#lambda.listFunctions({});
    return await byName(Functions, async ({ FunctionName = "" }) => {
      const { Configuration = {}, Concurrency, Tags } = await this.#lambda.getFunction({
        FunctionName,
      });
      const url = await this.#lambda.getFunctionUrlConfig({ FunctionName }).catch(ifAbsent);
      const policy = await this.#lambda.getPolicy({ FunctionName }).catch(ifAbsent);
      const variables = Object.entries(Configuration.Environment?.Variables ?? {});
      // A killed run may have left a permission twice, under another identifier.
      const invokers = new Set(
        statements(policy?.Policy).map((text) => {
          return text.replace(/ on \S+/, "").replace(/(execute-api:[^:]+:\d+:)\w+/, "$1GATEWAY");
        }),
      );
      return [FunctionName, {
        MemorySize: Configuration.MemorySize,
        ...pick(Configuration, ["Handler", "Timeout", "Runtime"]),
        ...pick(Configuration, ["Architectures", "Description", "Role"]),
        environment: Object.fromEntries(
          variables.map(([name, value]) => [name, value.replace(/^http:\/\/[\d.:]+/, "ENDPOINT")]),
        ),
        tracing: Configuration.TracingConfig?.Mode,
        tmp: Configuration.EphemeralStorage?.Size,
        network: [Configuration.VpcConfig?.SubnetIds, Configuration.VpcConfig?.SecurityGroupIds]
          .map((ids) => ids?.length),
        logs: Configuration.LoggingConfig?.LogFormat,
        tags: Tags,
        concurrency: Concurrency?.ReservedConcurrentExecutions,
        url: url && [url.AuthType, url.InvokeMode, url.Cors],
        layers: Configuration.Layers?.map(({ Arn }) => Arn?.split(":").at(-2)),
        invokers: [...invokers].sort(),
      }];
    });
  }

  async codeHashes(): Promise<Record<string, string | undefined>> {
    const { Functions = [] } = await this.#lambda.listFunctions({});
    return Object.fromEntries(
      Functions.map(({ FunctionName, CodeSha256 }) => [FunctionName, CodeSha256]),
    );
  }

  async mappings() {
    const { EventSourceMappings = [] } = await this.#lambda.listEventSourceMappings({});
    return EventSourceMappings.map((mapping) => [
      /:table\/([^/]+)/.exec(mapping.EventSourceArn ?? "")?.[1] ?? last(mapping.EventSourceArn),
      last(mapping.FunctionArn),
      mapping.BatchSize,
      mapping.MaximumBatchingWindowInSeconds,
      mapping.FunctionResponseTypes,
      mapping.ScalingConfig?.MaximumConcurrency,
      mapping.StartingPosition,
      mapping.MaximumRetryAttempts,
      mapping.BisectBatchOnFunctionError,
      last(mapping.DestinationConfig?.OnFailure?.Destination),
      mapping.FilterCriteria?.Filters?.map(({ Pattern }) => Pattern),
    ]).sort();
  }

  /** The gateways by name, each with its routes, stages and own responses. */
  async gateways() {
    const { items = [] } = await this.#gateway.getRestApis({});
    return await byName(items, async ({ id: restApiId, name = "", ...gateway }) => {
      const resources = await this.#gateway.getResources({ restApiId, embed: ["methods"] });
      const stages = await this.#gateway.getStages({ restApiId });
      const responses = await this.#gateway.getGatewayResponses({ restApiId });
      const authorizers = await this.#gateway.getAuthorizers({ restApiId });
      const routes = (resources.items ?? []).flatMap(({ path, resourceMethods = {} }) =>
        Object.values(resourceMethods).map(({ httpMethod, authorizationType, methodIntegration }) =>
          [
            httpMethod,
            path,
            authorizationType,
            methodIntegration?.type,
            methodIntegration?.httpMethod,
            (methodIntegration?.uri ?? "").replace(/.*:function:([^/]+)\/(.*)/, "$2 of $1"),
          ].join(" ")
        )
      );
      return [name, {
        routes: routes.sort(),
        authorizers: (authorizers.items ?? []).map((authorizer) => [
          authorizer.name,
          authorizer.type,
          authorizer.authorizerResultTtlInSeconds,
          /:function:([^/]+)/.exec(authorizer.authorizerUri ?? "")?.[1],
        ]),
        binaryMediaTypes: gateway.binaryMediaTypes,
        types: gateway.endpointConfiguration?.types,
        stages: (stages.item ?? []).map((stage) => [
          stage.stageName,
          stage.methodSettings?.["*/*"]?.throttlingRateLimit,
          stage.methodSettings?.["*/*"]?.throttlingBurstLimit,
          stage.accessLogSettings?.destinationArn,
          stage.tracingEnabled,
        ]),
        responses: Object.fromEntries(
          (responses.items ?? []).map((item) => [item.responseType, item.responseParameters]),
        ),
      }];
    });
  }

  /** The identifiers of the only gateway and of the deployment that its stage serves. */
  async deployment() {
    const { items = [] } = await this.#gateway.getRestApis({});
    const restApiId = items[0]?.id;
    const { item = [] } = await this.#gateway.getStages({ restApiId });
    return { restApiId, deploymentId: item[0]?.deploymentId };
  }

  /** The domains by name: the certificate, the stages behind it, and the records in hosted zones. */
  async domains() {
    const { items = [] } = await this.#gateway.getDomainNames({});
    const { HostedZones = [] } = await this.#route53.listHostedZones({});
    const lists = await Promise.all(
      HostedZones.map(({ Id }) => this.#route53.listResourceRecordSets({ HostedZoneId: Id })),
    );
    const records = lists.flatMap(({ ResourceRecordSets = [] }) => ResourceRecordSets);
    return await byName(items, async ({ domainName = "", ...domain }) => {
      const mappings = await this.#gateway.getBasePathMappings({ domainName });
      return [domainName, {
        certificate: domain.regionalCertificateArn?.replace(/certificate\/.*/, "certificate"),
        security: domain.securityPolicy,
        stages: (mappings.items ?? []).map(({ basePath, stage }) => [basePath, stage]),
        records: records.filter(({ Name, AliasTarget }) => Name === `${domainName}.` && AliasTarget)
          .map(({ Type }) => Type),
      }];
    });
  }

  /** The alarms by name: the metric with its dimensions, and who is told. */
  async alarms() {
    const { MetricAlarms = [] } = await this.#cloudWatch.describeAlarms({});
    return Object.fromEntries(MetricAlarms.map((alarm) => [
      alarm.AlarmName,
      [
        `${alarm.Statistic} of ${alarm.Namespace} ${alarm.MetricName} > ${alarm.Threshold}`,
        (alarm.Dimensions ?? []).map(({ Name, Value }) => `${Name}=${Value}`).sort().join(),
        (alarm.AlarmActions ?? []).map(last).join(),
      ],
    ]));
  }

  /** The days that each log group keeps its records. */
  async logGroups() {
    const { logGroups = [] } = await this.#logs.describeLogGroups({});
    return Object.fromEntries(
      logGroups.map(({ logGroupName, retentionInDays }) => [logGroupName, retentionInDays]),
    );
  }

  /** The rules by name: expression, state, targets. */
  async rules() {
    const { Rules = [] } = await this.#events.listRules({});
    return await byName(Rules, async ({ Name = "", ScheduleExpression, EventPattern, State }) => {
      const { Targets = [] } = await this.#events.listTargetsByRule({ Rule: Name });
      return [Name, [
        ScheduleExpression ?? EventPattern,
        State,
        ...Targets.map(({ Arn }) => last(Arn)),
      ]];
    });
  }

  /** The schedules of EventBridge Scheduler by name. */
  async schedules() {
    const { Schedules = [] } = await this.#scheduler.listSchedules({});
    return await byName(Schedules, async ({ Name = "" }) => {
      const { ScheduleExpression, ScheduleExpressionTimezone, Target } = await this.#scheduler
        .getSchedule({ Name });
      return [Name, [
        ScheduleExpression,
        ScheduleExpressionTimezone,
        last(Target?.Arn),
        last(Target?.RoleArn),
        Target?.Input,
      ]];
    });
  }

  async queues() {
    const { QueueUrls = [] } = await this.#sqs.listQueues({});
    return await byName(QueueUrls, async (QueueUrl) => {
      const { Attributes = {} } = await this.#sqs.getQueueAttributes({
        QueueUrl,
        AttributeNames: ["All"],
      });
      const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(Attributes.RedrivePolicy ?? "{}");
      return [last(Attributes.QueueArn), {
        visibility: Attributes.VisibilityTimeout,
        fifo: Attributes.FifoQueue,
        deduplicates: Attributes.ContentBasedDeduplication,
        messageSize: Attributes.MaximumMessageSize,
        retention: Attributes.MessageRetentionPeriod,
        encrypted: Attributes.SqsManagedSseEnabled,
        deadLetters: deadLetterTargetArn && [last(deadLetterTargetArn), maxReceiveCount],
        policy: statements(Attributes.Policy),
      }];
    });
  }

  /** The roles by name, each with its statements, its attached policies, and who may assume it. */
  async roles() {
    const { Roles = [] } = await this.#iam.listRoles({});
    return await byName(Roles, async ({ RoleName = "", AssumeRolePolicyDocument }) => {
      const { AttachedPolicies = [] } = await this.#iam.listAttachedRolePolicies({ RoleName });
      const { PolicyNames = [] } = await this.#iam.listRolePolicies({ RoleName });
      const documents = await Promise.all(
        PolicyNames.map((PolicyName) => this.#iam.getRolePolicy({ RoleName, PolicyName })),
      );
      return [RoleName, {
        trust: statements(AssumeRolePolicyDocument),
        statements: documents.flatMap(({ PolicyDocument }) => statements(PolicyDocument)).sort(),
        attached: AttachedPolicies.map(({ PolicyName }) => PolicyName),
      }];
    });
  }

  /** The buckets by name, each with its guards and listeners. */
  async buckets() {
    const { Buckets = [] } = await this.#s3.listBuckets({});
    return await byName(Buckets, async ({ Name: Bucket = "" }) => {
      const { LambdaFunctionConfigurations: listeners = [] } = await this.#s3
        .getBucketNotificationConfiguration({ Bucket });
      const access = await this.#s3.getPublicAccessBlock({ Bucket }).catch(ifAbsent);
      const encryption = await this.#s3.getBucketEncryption({ Bucket }).catch(ifAbsent);
      const policy = await this.#s3.getBucketPolicy({ Bucket }).catch(ifAbsent);
      const versioning = await this.#s3.getBucketVersioning({ Bucket });
      const cors = await this.#s3.getBucketCors({ Bucket }).catch(ifAbsent);
      return [Bucket, {
        listeners: listeners.map(({ LambdaFunctionArn, Events = [], Filter }) => {
          const rules = (Filter?.Key?.FilterRules ?? [])
            .map(({ Name, Value }) => `${Name?.toLowerCase()}=${Value}`);
          return [last(LambdaFunctionArn), ...Events.sort(), ...rules.sort()].join(" ");
        }).sort(),
        access: Object.values(access?.PublicAccessBlockConfiguration ?? {}),
        encryption: encryption?.ServerSideEncryptionConfiguration?.Rules?.map((rule) =>
          rule.ApplyServerSideEncryptionByDefault?.SSEAlgorithm
        ),
        versioning: versioning.Status,
        cors: cors?.CORSRules,
        policy: statements(policy?.Policy),
      }];
    });
  }

  /** The tables by name, each with its keys, indexes and guards. */
  async tables() {
    const { TableNames = [] } = await this.#tables.listTables({});
    return await byName(TableNames, async (TableName) => {
      const { Table = {} } = await this.#tables.describeTable({ TableName });
      const { TimeToLiveDescription: ttl } = await this.#tables.describeTimeToLive({ TableName });
      const { ContinuousBackupsDescription: backups } = await this.#tables
        .describeContinuousBackups({ TableName });
      const keyOf = (schema: readonly { AttributeName?: string | undefined }[] = []) =>
        schema.map(({ AttributeName: name }) => {
          const found = Table.AttributeDefinitions?.find((one) => one.AttributeName === name);
          return `${name} ${found?.AttributeType}`;
        });
      return [TableName, {
        key: keyOf(Table.KeySchema),
        billing: Table.BillingModeSummary?.BillingMode,
        indexes: (Table.GlobalSecondaryIndexes ?? []).map((index) => [
          index.IndexName,
          ...keyOf(index.KeySchema),
          index.Projection?.ProjectionType,
          ...index.Projection?.NonKeyAttributes ?? [],
        ]),
        stream: Table.StreamSpecification?.StreamViewType,
        expires: ttl?.TimeToLiveStatus === "ENABLED" ? ttl.AttributeName : undefined,
        recovery: backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus,
        isProtected: Table.DeletionProtectionEnabled,
      }];
    });
  }

  async putItem(TableName: string, Item: Record<string, { S: string } | { N: string }>) {
    await this.#tables.putItem({ TableName, Item });
  }

  async deleteTable(TableName: string) {
    await this.#tables.deleteTable({ TableName });
  }

  async items(TableName: string) {
    return (await this.#tables.scan({ TableName })).Items;
  }

  async makeBucket(Bucket: string): Promise<void> {
    const CreateBucketConfiguration = { LocationConstraint: "eu-west-1" } as const;
    await this.#s3.createBucket({ Bucket, CreateBucketConfiguration });
  }

  /** The keys of the objects in a bucket. */
  async objects(Bucket: string) {
    const { Contents = [] } = await this.#s3.listObjectsV2({ Bucket });
    return Contents.map(({ Key }) => Key);
  }

  /** Puts an object into a bucket. The emulator has no TLS, so the policy of the bucket is removed for that time. */
  async upload(Bucket: string, Key: string): Promise<void> {
    const { Policy } = await this.#s3.getBucketPolicy({ Bucket });
    await this.#s3.deleteBucketPolicy({ Bucket });
    await this.#s3.putObject({ Bucket, Key, Body: "content" });
    await this.#s3.putBucketPolicy({ Bucket, Policy });
  }

  /** The topics by name, each with its subscribers, key and policy. */
  async topics() {
    const { Topics = [] } = await this.#sns.listTopics({});
    return await byName(Topics, async ({ TopicArn = "" }) => {
      const { Subscriptions = [] } = await this.#sns.listSubscriptionsByTopic({ TopicArn });
      const { Attributes = {} } = await this.#sns.getTopicAttributes({ TopicArn });
      return [last(TopicArn), {
        subscribers: await Promise.all(
          Subscriptions.map(async ({ SubscriptionArn, Protocol, Endpoint }) => {
            const { Attributes = {} } = await this.#sns.getSubscriptionAttributes({
              SubscriptionArn,
            });
            return [Protocol, last(Endpoint), Attributes.FilterPolicy].join(" ");
          }),
        ),
        key: Attributes.KmsMasterKeyId,
        policy: statements(Attributes.Policy),
      }];
    });
  }

  /** Everything by kind and name. */
  async all(): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
    const kinds = [
      "functions",
      "gateways",
      "domains",
      "logGroups",
      "alarms",
      "rules",
      "schedules",
      "roles",
      "buckets",
      "topics",
      "queues",
      "tables",
    ] as const;
    const found = await Promise.all(kinds.map((kind) => this[kind]()));
    return Object.fromEntries(kinds.map((kind, index) => [kind, found[index]!]));
  }

  async names(): Promise<readonly string[]> {
    const { Layers = [] } = await this.#lambda.listLayers({});
    const layers = Layers.map(({ LayerName = "" }) => LayerName);
    return [...Object.values(await this.all()).flatMap(Object.keys), ...layers];
  }
}

async function byName<T, V>(
  items: readonly T[],
  read: (item: T) => Promise<readonly [string, V]>,
): Promise<Record<string, V>> {
  return Object.fromEntries(await Promise.all(items.map(read)));
}

function last(arn = ""): string {
  return arn.slice(arn.lastIndexOf(":") + 1);
}

/** The statements of a policy as lines of text. */
function statements(policy: string | undefined): string[] {
  if (!policy) return [];
  const text = policy.startsWith("{") ? policy : decodeURIComponent(policy);
  const all: Statement[] = [JSON.parse(text).Statement].flat();
  return all.map(({ Effect, Action, Resource, Principal, Condition }) =>
    [
      Effect,
      [Action].flat().sort().join(","),
      Resource && `on ${[Resource].flat().join(",")}`,
      Principal && `for ${Object.values(Principal)}`,
      Condition && `if ${JSON.stringify(Condition)}`,
    ].filter(Boolean).join(" ")
  ).sort();
}

/** Throws an error again, unless the error says that a resource does not exist. */
function ifAbsent(error: Error): undefined {
  if (!/NotFound|^NoSuch/.test(error.name)) throw error;
}

function pick<T, K extends keyof T>(values: T, keys: readonly K[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}
