/**
 * Finds what a killed run made without noting it in the state: in-flight requests whose answers were lost.
 *
 * Takes the path of a plan as JSON. What the plan wants to create and the cloud holds already, by name and by the
 * tag of the application, is printed as `address<TAB>identifier`, ready for `terraform import`.
 *
 * @module
 */
import {
  APIGatewayClient,
  GetResourcesCommand,
  GetRestApisCommand,
  GetStageCommand,
} from "@aws-sdk/client-api-gateway";
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  ListTagsForResourceCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { GetRoleCommand, IAMClient } from "@aws-sdk/client-iam";
import {
  GetFunctionCommand,
  GetPolicyCommand,
  LambdaClient,
  ListLayerVersionsCommand,
} from "@aws-sdk/client-lambda";
import { HeadBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { FetchHttpHandler } from "@smithy/fetch-http-handler";

interface Values extends Record<string, unknown> {
  readonly tags_all?: Readonly<Record<string, string>> | null;
}

interface Plan {
  readonly resource_changes?: readonly {
    readonly address: string;
    readonly type: string;
    readonly index?: string;
    readonly change: { readonly actions: readonly string[]; readonly after: Values | null };
  }[];
  readonly prior_state?: {
    readonly values?: {
      readonly root_module?: {
        readonly resources?: readonly { readonly type: string; readonly values: Values }[];
      };
    };
  };
}

/** How to find one: the identifier to import it by; `undefined` if there is none, or it is another's. */
type Find = (wanted: Values, index: string) => Promise<string | undefined>;

const requestHandler = new FetchHttpHandler({ requestTimeout: 15_000 });
const gateway = new APIGatewayClient({ requestHandler });
const iam = new IAMClient({ requestHandler });
const lambda = new LambdaClient({ requestHandler });
const logs = new CloudWatchLogsClient({ requestHandler });
const s3 = new S3Client({ requestHandler, forcePathStyle: Deno.env.has("AWS_ENDPOINT_URL") });

const [path = ""] = Deno.args;
const plan = JSON.parse(await Deno.readTextFile(path)) as Plan;
let gatewayId = plan.prior_state?.values?.root_module?.resources
  ?.find(({ type }) => type === "aws_api_gateway_rest_api")?.values.id as string | undefined;

/** In this order: what lies in the gateway can be found once the gateway is. */
const FINDERS: readonly (readonly [type: string, find: Find])[] = [
  ["aws_iam_role", async (wanted) => {
    const RoleName = String(wanted.name);
    const found = await ask(() => iam.send(new GetRoleCommand({ RoleName })));
    const tag = found?.Role?.Tags?.find(({ Key }) => Key === "application")?.Value;
    return isOurs(wanted, tag) ? RoleName : undefined;
  }],
  ["aws_cloudwatch_log_group", async (wanted) => {
    const logGroupNamePrefix = String(wanted.name);
    const { logGroups = [] } = await logs.send(
      new DescribeLogGroupsCommand({ logGroupNamePrefix }),
    );
    const group = logGroups.find(({ logGroupName }) => logGroupName === wanted.name);
    if (!group?.arn) return undefined;
    const resourceArn = group.arn.replace(/:\*$/, "");
    const { tags } = await logs.send(new ListTagsForResourceCommand({ resourceArn }));
    return isOurs(wanted, tags?.application) ? group.logGroupName : undefined;
  }],
  ["aws_lambda_layer_version", async (wanted) => {
    const { LayerVersions = [] } = await ask(() =>
      lambda.send(new ListLayerVersionsCommand({ LayerName: String(wanted.layer_name) }))
    ) ?? {};
    return LayerVersions[0]?.LayerVersionArn;
  }],
  ["aws_lambda_function", async (wanted) => {
    const FunctionName = String(wanted.function_name);
    const found = await ask(() => lambda.send(new GetFunctionCommand({ FunctionName })));
    return isOurs(wanted, found?.Tags?.application) ? FunctionName : undefined;
  }],
  ["aws_lambda_permission", async (wanted) => {
    const FunctionName = String(wanted.function_name);
    const found = await ask(() => lambda.send(new GetPolicyCommand({ FunctionName })));
    const { Statement = [] } = JSON.parse(found?.Policy ?? "{}") as {
      Statement?: { Sid: string }[];
    };
    return Statement.some(({ Sid }) => Sid === wanted.statement_id)
      ? `${FunctionName}/${wanted.statement_id}`
      : undefined;
  }],
  ["aws_s3_bucket", async (wanted) => {
    const Bucket = String(wanted.bucket); // nobody else's: the account is in its name
    return await ask(() => s3.send(new HeadBucketCommand({ Bucket }))) && Bucket;
  }],
  ["aws_api_gateway_rest_api", async (wanted) => {
    const { items = [] } = await gateway.send(new GetRestApisCommand({ limit: 500 }));
    gatewayId = items.find(({ name, tags }) => {
      return name === wanted.name && isOurs(wanted, tags?.application);
    })?.id;
    return gatewayId;
  }],
  ["aws_api_gateway_resource", async (_, index) => {
    const found = (await resources()).find(({ path }) => path === `/${index}`);
    return found && `${gatewayId}/${found.id}`;
  }],
  ["aws_api_gateway_method", async (wanted, index) => {
    const path = index.slice(index.indexOf(" ") + 1);
    const found = (await resources()).find((resource) => resource.path === path);
    return found?.resourceMethods?.[String(wanted.http_method)] &&
      `${gatewayId}/${found.id}/${wanted.http_method}`;
  }],
  ["aws_api_gateway_stage", async (wanted) => {
    const [restApiId, stageName] = [gatewayId, String(wanted.stage_name)];
    if (!restApiId) return undefined;
    const found = await ask(() => gateway.send(new GetStageCommand({ restApiId, stageName })));
    return found && `${restApiId}/${stageName}`;
  }],
];

function isOurs(wanted: Values, application: string | undefined): boolean {
  return application !== undefined && application === wanted.tags_all?.application;
}

async function resources() {
  if (!gatewayId) return [];
  const all = { restApiId: gatewayId, limit: 500, embed: ["methods"] };
  return (await gateway.send(new GetResourcesCommand(all))).items ?? [];
}

/** Asks for one thing; `undefined` if there is none. */
async function ask<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
    if ($metadata?.httpStatusCode === 404) return undefined;
    throw error;
  }
}

for (const [type, find] of FINDERS) {
  for (const { address, type: planned, index = "", change } of plan.resource_changes ?? []) {
    if (planned !== type || change.actions.join() !== "create" || !change.after) continue;
    const identifier = await find(change.after, index);
    if (identifier) console.log(`${address}\t${identifier}`);
  }
}
