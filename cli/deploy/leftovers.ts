import type { Plan } from "./summary.ts";
import type { TerraformError } from "./terraform.ts";

type Attributes = Readonly<Record<string, unknown>>;

/**
 * The identifiers that import a resource, for each type whose creation fails if the resource exists. Permissions are missing
 * here, because their identifiers are random.
 */
const IDS: Readonly<Record<string, (attributes: Attributes) => string>> = {
  aws_cloudwatch_log_group: ({ name }) => `${name}`,
  aws_iam_role: ({ name }) => `${name}`,
  aws_lambda_function: ({ function_name }) => `${function_name}`,
  aws_lambda_function_url: ({ function_name }) => `${function_name}`,
  aws_s3_bucket: ({ bucket }) => `${bucket}`,
  aws_api_gateway_stage: ({ rest_api_id, stage_name }) => `${rest_api_id}/${stage_name}`,
  aws_dynamodb_table: ({ name }) => `${name}`,
  aws_cloudformation_stack: ({ name }) => `${name}`,
  aws_api_gateway_domain_name: ({ domain_name }) => `${domain_name}`,
  aws_api_gateway_base_path_mapping: ({ domain_name, base_path }) =>
    `${domain_name}/${base_path ?? ""}`,
  aws_route53_record: ({ zone_id, name, type }) => `${zone_id}_${name}_${type}`,
  aws_scheduler_schedule: ({ name }) => `default/${name}`,
};

/** Tells whether Terraform could not create a resource because it exists. */
export function isConflict({ diagnostics }: TerraformError): boolean {
  return diagnostics.some(({ summary, detail }) => /already ?exist/i.test(`${summary} ${detail}`));
}

/** Lists the resources that a plan creates, although they may exist. */
export function importsOf(plan: Plan): Record<string, string> {
  return Object.fromEntries(
    (plan.resource_changes ?? []).flatMap(({ address, type, change }) => {
      const id = change.actions.join() === "create" && change.after && IDS[type]?.(change.after);
      return id && !id.includes("undefined") ? [[address, id]] : [];
    }),
  );
}

/**
 * Leaves out the resources that Terraform did not find.
 *
 * @throws {TerraformError} If the error is about something else.
 */
export function withoutAbsent(
  imports: Readonly<Record<string, string>>,
  error: TerraformError,
): Record<string, string> {
  const found = { ...imports };
  for (const { summary, detail = "" } of error.diagnostics) {
    const text = detail.replaceAll('\\"', '"'); // the detail quotes the address
    const address = Object.keys(imports).find((address) => text.includes(address));
    if (!/import/i.test(summary) || address === undefined) throw error;
    delete found[address];
  }
  return found;
}

/**
 * Refuses to take over a resource that somebody else made.
 *
 * @throws {Error} If a resource to import has no tag of the application.
 */
export function checkOwner(plan: Plan, application: string): void {
  for (const { address, type, change } of plan.resource_changes ?? []) {
    const tags = change.before?.tags_all as Readonly<Record<string, string>> | null | undefined;
    if (!change.importing || tags === undefined) continue; // a part of another resource, so it has no tags
    // The tags of a bucket come in a second request, and a killed run may not have sent it. The name is safe: it has the account.
    const isUntaggedBucket = type === "aws_s3_bucket" && Object.keys(tags ?? {}).length === 0;
    if (tags?.application === application || isUntaggedBucket) continue;
    throw new Error(
      `Cannot create ${address}: it exists and does not belong to "${application}"; remove it, or give it another name in the manifest`,
    );
  }
}
