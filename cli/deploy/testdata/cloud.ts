import {
  APIGatewayClient,
  GetAuthorizersCommand,
  GetGatewayResponsesCommand,
  GetResourcesCommand,
  GetRestApisCommand,
  GetStagesCommand,
} from "@aws-sdk/client-api-gateway";
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from "@aws-sdk/client-cloudwatch-logs";
import {
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
} from "@aws-sdk/client-eventbridge";
import {
  GetRolePolicyCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
  ListRolesCommand,
} from "@aws-sdk/client-iam";
import {
  GetFunctionCommand,
  GetFunctionUrlConfigCommand,
  GetPolicyCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
  ListLayersCommand,
} from "@aws-sdk/client-lambda";
import {
  DeleteBucketPolicyCommand,
  GetBucketEncryptionCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetPublicAccessBlockCommand,
  ListBucketsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from "@aws-sdk/client-scheduler";
import {
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
  ListTopicsCommand,
  SNSClient,
} from "@aws-sdk/client-sns";
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";

/** One statement of a policy, as short text: who may do what to which resource under which condition. */
interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: string | string[];
  readonly Principal?: Record<string, string> | string;
  readonly Condition?: unknown;
}

/** Reads back what is deployed by the AWS SDK: what the cloud says, not what Terraform believes. */
export class Cloud implements Disposable {
  readonly #lambda: LambdaClient;
  readonly #gateway: APIGatewayClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #events: EventBridgeClient;
  readonly #iam: IAMClient;
  readonly #s3: S3Client;
  readonly #sns: SNSClient;
  readonly #sqs: SQSClient;
  readonly #scheduler: SchedulerClient;

  /** @param endpoint The base URL of the emulator. */
  constructor(endpoint: string) {
    const config = {
      endpoint,
      region: "eu-west-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    };
    this.#lambda = new LambdaClient(config);
    this.#gateway = new APIGatewayClient(config);
    this.#logs = new CloudWatchLogsClient(config);
    this.#events = new EventBridgeClient(config);
    this.#iam = new IAMClient(config);
    this.#s3 = new S3Client({ ...config, forcePathStyle: true });
    this.#sns = new SNSClient(config);
    this.#sqs = new SQSClient(config);
    this.#scheduler = new SchedulerClient(config);
  }

  /** The functions by name, each with the statements about who may invoke it. */
  async functions() {
    const { Functions = [] } = await this.#lambda.send(new ListFunctionsCommand({}));
    return await byName(Functions, async ({ FunctionName = "" }) => {
      const { Configuration, Concurrency } = await this.#lambda.send(
        new GetFunctionCommand({ FunctionName }),
      );
      const url = await this.#lambda.send(new GetFunctionUrlConfigCommand({ FunctionName }))
        .catch(ifAbsent(undefined));
      const policy = await this.#lambda.send(new GetPolicyCommand({ FunctionName }))
        .catch(ifAbsent({ Policy: undefined }));
      return [FunctionName, {
        ...Configuration,
        concurrency: Concurrency?.ReservedConcurrentExecutions,
        url: url && [url.AuthType, url.InvokeMode, url.Cors],
        invokers: statements(policy.Policy),
      }];
    });
  }

  /** The event source mappings by function. */
  async mappings() {
    const { EventSourceMappings = [] } = await this.#lambda.send(
      new ListEventSourceMappingsCommand({}),
    );
    return EventSourceMappings.map((mapping) => [
      last(mapping.EventSourceArn),
      last(mapping.FunctionArn),
      mapping.BatchSize,
      mapping.MaximumBatchingWindowInSeconds,
      mapping.FunctionResponseTypes,
      mapping.ScalingConfig?.MaximumConcurrency,
    ]);
  }

  /** The names of the layers. */
  async layers() {
    const { Layers = [] } = await this.#lambda.send(new ListLayersCommand({}));
    return Layers.map(({ LayerName }) => LayerName);
  }

  /** The gateways by name, each with its routes, stages and own responses. */
  async gateways() {
    const { items = [] } = await this.#gateway.send(new GetRestApisCommand({}));
    return await byName(items, async ({ id: restApiId, name = "", ...gateway }) => {
      const resources = await this.#gateway.send(
        new GetResourcesCommand({ restApiId, embed: ["methods"] }),
      );
      const stages = await this.#gateway.send(new GetStagesCommand({ restApiId }));
      const responses = await this.#gateway.send(new GetGatewayResponsesCommand({ restApiId }));
      const authorizers = await this.#gateway.send(new GetAuthorizersCommand({ restApiId }));
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
        ...gateway,
        id: restApiId,
        routes: routes.sort(),
        authorizers: (authorizers.items ?? []).map((authorizer) => [
          authorizer.name,
          authorizer.type,
          authorizer.authorizerResultTtlInSeconds,
          /:function:([^/]+)/.exec(authorizer.authorizerUri ?? "")?.[1],
        ]),
        stages: stages.item ?? [],
        responses: Object.fromEntries(
          (responses.items ?? []).map((response) => [
            response.responseType,
            response.responseParameters,
          ]),
        ),
      }];
    });
  }

  /** The days that each log group keeps its records. */
  async logGroups() {
    const { logGroups = [] } = await this.#logs.send(new DescribeLogGroupsCommand({}));
    return Object.fromEntries(
      logGroups.map(({ logGroupName, retentionInDays }) => [logGroupName, retentionInDays]),
    );
  }

  /** The rules by name: expression, state, targets. */
  async rules() {
    const { Rules = [] } = await this.#events.send(new ListRulesCommand({}));
    return await byName(Rules, async ({ Name = "", ScheduleExpression, EventPattern, State }) => {
      const { Targets = [] } = await this.#events.send(
        new ListTargetsByRuleCommand({ Rule: Name }),
      );
      return [Name, [
        ScheduleExpression ?? EventPattern,
        State,
        ...Targets.map(({ Arn }) => last(Arn)),
      ]];
    });
  }

  /** The schedules of EventBridge Scheduler by name. */
  async schedules() {
    const { Schedules = [] } = await this.#scheduler.send(new ListSchedulesCommand({}));
    return await byName(Schedules, async ({ Name = "" }) => {
      const { ScheduleExpression, ScheduleExpressionTimezone, Target } = await this.#scheduler.send(
        new GetScheduleCommand({ Name }),
      );
      return [Name, [
        ScheduleExpression,
        ScheduleExpressionTimezone,
        last(Target?.Arn),
        last(Target?.RoleArn),
        Target?.Input,
      ]];
    });
  }

  /** The queues by name. */
  async queues() {
    const { QueueUrls = [] } = await this.#sqs.send(new ListQueuesCommand({}));
    return await byName(QueueUrls, async (QueueUrl) => {
      const { Attributes = {} } = await this.#sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
      );
      const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(Attributes.RedrivePolicy ?? "{}");
      return [last(Attributes.QueueArn), {
        visibility: Attributes.VisibilityTimeout,
        fifo: Attributes.FifoQueue,
        encrypted: Attributes.SqsManagedSseEnabled,
        deadLetters: deadLetterTargetArn && [last(deadLetterTargetArn), maxReceiveCount],
        policy: statements(Attributes.Policy),
      }];
    });
  }

  /** The roles by name, each with its statements, its attached policies, and who may assume it. */
  async roles() {
    const { Roles = [] } = await this.#iam.send(new ListRolesCommand({}));
    return await byName(Roles, async ({ RoleName = "", AssumeRolePolicyDocument }) => {
      const { AttachedPolicies = [] } = await this.#iam.send(
        new ListAttachedRolePoliciesCommand({ RoleName }),
      );
      const { PolicyNames = [] } = await this.#iam.send(new ListRolePoliciesCommand({ RoleName }));
      const documents = await Promise.all(
        PolicyNames.map((PolicyName) =>
          this.#iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }))
        ),
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
    const { Buckets = [] } = await this.#s3.send(new ListBucketsCommand({}));
    return await byName(Buckets, async ({ Name: Bucket = "" }) => {
      const notification = await this.#s3.send(
        new GetBucketNotificationConfigurationCommand({ Bucket }),
      );
      const access = await this.#s3.send(new GetPublicAccessBlockCommand({ Bucket }))
        .catch(ifAbsent(undefined));
      const encryption = await this.#s3.send(new GetBucketEncryptionCommand({ Bucket }))
        .catch(ifAbsent(undefined));
      const policy = await this.#s3.send(new GetBucketPolicyCommand({ Bucket }))
        .catch(ifAbsent(undefined));
      const versioning = await this.#s3.send(new GetBucketVersioningCommand({ Bucket }));
      return [Bucket, {
        listeners: (notification.LambdaFunctionConfigurations ?? []).map((
          { LambdaFunctionArn, Events = [], Filter },
        ) =>
          [
            last(LambdaFunctionArn),
            ...Events.sort(),
            ...(Filter?.Key?.FilterRules ?? []).map(({ Name, Value }) => `${Name}=${Value}`).sort(),
          ].join(" ")
        ).sort(),
        access: Object.values(access?.PublicAccessBlockConfiguration ?? {}),
        encryption: encryption?.ServerSideEncryptionConfiguration?.Rules?.map((rule) =>
          rule.ApplyServerSideEncryptionByDefault?.SSEAlgorithm
        ),
        versioning: versioning.Status,
        policy: statements(policy?.Policy),
      }];
    });
  }

  /** Puts an object into a bucket. The emulator is reached without TLS, so the policy of the bucket makes way. */
  async upload(Bucket: string, Key: string): Promise<void> {
    const { Policy } = await this.#s3.send(new GetBucketPolicyCommand({ Bucket }));
    await this.#s3.send(new DeleteBucketPolicyCommand({ Bucket }));
    await this.#s3.send(new PutObjectCommand({ Bucket, Key, Body: "content" }));
    await this.#s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
  }

  /** The topics by name, each with its subscribers, key and policy. */
  async topics() {
    const { Topics = [] } = await this.#sns.send(new ListTopicsCommand({}));
    return await byName(Topics, async ({ TopicArn = "" }) => {
      const { Subscriptions = [] } = await this.#sns.send(
        new ListSubscriptionsByTopicCommand({ TopicArn }),
      );
      const { Attributes = {} } = await this.#sns.send(new GetTopicAttributesCommand({ TopicArn }));
      return [last(TopicArn), {
        subscribers: await Promise.all(
          Subscriptions.map(async ({ SubscriptionArn, Protocol, Endpoint }) => {
            const { Attributes = {} } = await this.#sns.send(
              new GetSubscriptionAttributesCommand({ SubscriptionArn }),
            );
            return [Protocol, last(Endpoint), Attributes.FilterPolicy].join(" ");
          }),
        ),
        key: Attributes.KmsMasterKeyId,
        policy: statements(Attributes.Policy),
      }];
    });
  }

  /** The names of everything. */
  async names(): Promise<readonly unknown[]> {
    const all = await Promise.all([
      this.functions(),
      this.gateways(),
      this.logGroups(),
      this.rules(),
      this.roles(),
      this.buckets(),
      this.topics(),
      this.queues(),
      this.schedules(),
    ]);
    return [...all.flatMap(Object.keys), ...await this.layers()];
  }

  [Symbol.dispose](): void {
    for (
      const client of [
        this.#lambda,
        this.#gateway,
        this.#logs,
        this.#events,
        this.#iam,
        this.#s3,
        this.#sns,
        this.#sqs,
        this.#scheduler,
      ]
    ) client.destroy();
  }
}

async function byName<T, V>(
  items: readonly T[],
  read: (item: T) => Promise<readonly [string, V]>,
): Promise<Record<string, V>> {
  return Object.fromEntries(await Promise.all(items.map(read)));
}

/** The last part of an ARN. */
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

/** Takes the error that says "there is none" for an answer. */
function ifAbsent<T>(nothing: T): (error: Error) => T {
  return (error) => {
    if (/NotFound|^NoSuch/.test(error.name)) return nothing;
    throw error;
  };
}
