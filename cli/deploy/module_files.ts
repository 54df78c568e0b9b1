import buckets from "./tf/buckets.tf" with { type: "text" };
import functions from "./tf/functions.tf" with { type: "text" };
import gateway from "./tf/gateway.tf" with { type: "text" };
import manifest from "./tf/manifest.tf" with { type: "text" };
import outputs from "./tf/outputs.tf" with { type: "text" };
import queues from "./tf/queues.tf" with { type: "text" };
import roles from "./tf/roles.tf" with { type: "text" };
import schedules from "./tf/schedules.tf" with { type: "text" };
import topics from "./tf/topics.tf" with { type: "text" };
import urls from "./tf/urls.tf" with { type: "text" };
import variables from "./tf/variables.tf" with { type: "text" };
import versions from "./tf/versions.tf" with { type: "text" };
import lock from "./terraform.lock.hcl" with { type: "text" };

/** The files of the Terraform module, by name. As part of the module graph they come from the same place as the code. */
export const MODULE_FILES: Readonly<Record<string, string>> = {
  "buckets.tf": buckets,
  "functions.tf": functions,
  "gateway.tf": gateway,
  "manifest.tf": manifest,
  "outputs.tf": outputs,
  "queues.tf": queues,
  "roles.tf": roles,
  "schedules.tf": schedules,
  "topics.tf": topics,
  "urls.tf": urls,
  "variables.tf": variables,
  "versions.tf": versions,
};

/** The checksums of the provider for every platform, as Terraform keeps them in `.terraform.lock.hcl`. */
export const PROVIDER_LOCK: string = lock;
