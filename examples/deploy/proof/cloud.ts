import {
  APIGatewayClient,
  GetGatewayResponsesCommand,
  GetResourcesCommand,
  GetRestApisCommand,
  GetStagesCommand,
} from "@aws-sdk/client-api-gateway";
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  ListTagsForResourceCommand as ListLogTagsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import {
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
} from "@aws-sdk/client-eventbridge";
import {
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
  ListRolesCommand,
} from "@aws-sdk/client-iam";
import {
  GetFunctionCommand,
  GetLayerVersionCommand,
  GetPolicyCommand,
  LambdaClient,
  ListFunctionsCommand,
  ListLayersCommand,
} from "@aws-sdk/client-lambda";
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetBucketEncryptionCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketTaggingCommand,
  GetPublicAccessBlockCommand,
  ListBucketsCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import {
  ListSubscriptionsByTopicCommand,
  ListTagsForResourceCommand as ListTopicTagsCommand,
  ListTopicsCommand,
  SNSClient,
} from "@aws-sdk/client-sns";

/** One statement of a policy. */
export interface Statement {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: string | string[];
  readonly Principal?: Record<string, string>;
  readonly Condition?: Record<string, Record<string, string>>;
}

/** Reads back what is deployed, by the AWS SDK: what the cloud says, not what Terraform believes. */
export class Cloud implements Disposable {
  readonly #lambda: LambdaClient;
  readonly #gateway: APIGatewayClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #events: EventBridgeClient;
  readonly #iam: IAMClient;
  readonly #s3: S3Client;
  readonly #sns: SNSClient;

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
  }

  /** The functions by name, with their tags and the statements of who may invoke them. */
  async functions() {
    const { Functions = [] } = await this.#lambda.send(new ListFunctionsCommand({}));
    return new Map(
      await Promise.all(Functions.map(async ({ FunctionName = "" }) => {
        const { Configuration, Tags } = await this.#lambda.send(
          new GetFunctionCommand({ FunctionName }),
        );
        const { Policy } = await this.#lambda.send(new GetPolicyCommand({ FunctionName }))
          .catch(orNothing("ResourceNotFoundException", { Policy: undefined }));
        const invokers: Statement[] = Policy ? JSON.parse(Policy).Statement : [];
        return [FunctionName, { ...Configuration, tags: Tags, invokers }] as const;
      })),
    );
  }

  /** One version of a layer. */
  layer(arn: string) {
    const [, LayerName = "", version] = /:layer:([^:]+):(\d+)$/.exec(arn) ?? [];
    const VersionNumber = Number(version);
    return this.#lambda.send(new GetLayerVersionCommand({ LayerName, VersionNumber }));
  }

  /** The names of the layers. */
  async layers(): Promise<unknown[]> {
    const { Layers = [] } = await this.#lambda.send(new ListLayersCommand({}));
    return Layers.map(({ LayerName }) => LayerName);
  }

  /** The gateways, with their resources, methods, integrations, stages and own responses. */
  async gateways() {
    const { items = [] } = await this.#gateway.send(new GetRestApisCommand({}));
    return await Promise.all(items.map(async (gateway) => {
      const restApiId = gateway.id;
      const [resources, stages, responses] = await Promise.all([
        this.#gateway.send(new GetResourcesCommand({ restApiId, embed: ["methods"] })),
        this.#gateway.send(new GetStagesCommand({ restApiId })),
        this.#gateway.send(new GetGatewayResponsesCommand({ restApiId })),
      ]);
      return {
        ...gateway,
        resources: resources.items ?? [],
        stages: stages.item ?? [],
        responses: responses.items ?? [],
      };
    }));
  }

  /** The log groups, with their tags. */
  async logGroups() {
    const { logGroups = [] } = await this.#logs.send(new DescribeLogGroupsCommand({}));
    return await Promise.all(logGroups.map(async (group) => {
      const resourceArn = (group.arn ?? "").replace(/:\*$/, "");
      return { ...group, ...await this.#logs.send(new ListLogTagsCommand({ resourceArn })) };
    }));
  }

  /** The rules, with their targets. */
  async rules() {
    const { Rules = [] } = await this.#events.send(new ListRulesCommand({}));
    return await Promise.all(Rules.map(async (rule) => {
      const { Targets } = await this.#events.send(
        new ListTargetsByRuleCommand({ Rule: rule.Name }),
      );
      return { ...rule, targets: Targets ?? [] };
    }));
  }

  /** The roles by name, with their tags, trust and policies. */
  async roles() {
    const { Roles = [] } = await this.#iam.send(new ListRolesCommand({}));
    return new Map(
      await Promise.all(Roles.map(async ({ RoleName = "", AssumeRolePolicyDocument = "" }) => {
        const [{ Role }, { AttachedPolicies = [] }, { PolicyNames = [] }] = await Promise.all([
          this.#iam.send(new GetRoleCommand({ RoleName })),
          this.#iam.send(new ListAttachedRolePoliciesCommand({ RoleName })),
          this.#iam.send(new ListRolePoliciesCommand({ RoleName })),
        ]);
        const statements = await Promise.all(PolicyNames.map(async (PolicyName) => {
          const { PolicyDocument = "" } = await this.#iam.send(
            new GetRolePolicyCommand({ RoleName, PolicyName }),
          );
          return list<Statement>(JSON.parse(decodeURIComponent(PolicyDocument)).Statement);
        }));
        const trust = JSON.parse(decodeURIComponent(AssumeRolePolicyDocument));
        return [RoleName, {
          tags: Role?.Tags ?? [],
          attached: AttachedPolicies,
          statements: statements.flat(),
          trust: list<Statement>(trust.Statement),
        }] as const;
      })),
    );
  }

  /** The buckets, with what guards them and whom they notify. */
  async buckets() {
    const { Buckets = [] } = await this.#s3.send(new ListBucketsCommand({}));
    return await Promise.all(Buckets.map(async ({ Name: Bucket = "" }) => {
      const [notification, access, encryption, tags] = await Promise.all([
        this.#s3.send(new GetBucketNotificationConfigurationCommand({ Bucket })),
        this.#s3.send(new GetPublicAccessBlockCommand({ Bucket }))
          .catch(orNothing("NoSuchPublicAccessBlockConfiguration", undefined)),
        this.#s3.send(new GetBucketEncryptionCommand({ Bucket }))
          .catch(orNothing("ServerSideEncryptionConfigurationNotFoundError", undefined)),
        this.#s3.send(new GetBucketTaggingCommand({ Bucket }))
          .catch(orNothing("NoSuchTagSet", undefined)),
      ]);
      return {
        name: Bucket,
        listeners: notification.LambdaFunctionConfigurations ?? [],
        access: access?.PublicAccessBlockConfiguration,
        encryption: encryption?.ServerSideEncryptionConfiguration?.Rules ?? [],
        tags: tags?.TagSet ?? [],
      };
    }));
  }

  /** Makes a bucket. */
  async makeBucket(Bucket: string): Promise<void> {
    const CreateBucketConfiguration = { LocationConstraint: "eu-west-1" } as const;
    await this.#s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }));
  }

  /** Removes a bucket that holds one object. */
  async removeBucket(Bucket: string, Key: string): Promise<void> {
    await this.#s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await this.#s3.send(new DeleteBucketCommand({ Bucket }));
  }

  /** Puts an object into a bucket. */
  async upload(Bucket: string, Key: string, Body: string): Promise<void> {
    await this.#s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  }

  /** The topics, with their subscriptions and tags. */
  async topics() {
    const { Topics = [] } = await this.#sns.send(new ListTopicsCommand({}));
    return await Promise.all(Topics.map(async ({ TopicArn = "" }) => {
      const [{ Subscriptions = [] }, { Tags = [] }] = await Promise.all([
        this.#sns.send(new ListSubscriptionsByTopicCommand({ TopicArn })),
        this.#sns.send(new ListTopicTagsCommand({ ResourceArn: TopicArn })),
      ]);
      return { arn: TopicArn, subscriptions: Subscriptions, tags: Tags };
    }));
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
      ]
    ) client.destroy();
  }
}

/** A value that policies write as itself where there is only one. */
export function list<T>(value: T | T[]): T[] {
  return Array.isArray(value) ? value : [value];
}

/** What to do with an error: the one that says "there is none" is an answer. */
function orNothing<T>(name: string, nothing: T): (error: Error) => T {
  return (error) => {
    if (error.name === name) return nothing;
    throw error;
  };
}
