/** The actions of AWS Lambda by method and path. */
const LAMBDA: readonly (readonly [call: RegExp, action: string])[] = [
  [/^POST \/[\d-]+\/functions$/, "CreateFunction"],
  [/^GET \/[\d-]+\/functions\/[^/]+$/, "GetFunction"],
  [/^DELETE \/[\d-]+\/functions\/[^/]+$/, "DeleteFunction"],
  [/^GET .*\/configuration$/, "GetFunctionConfiguration"],
  [/^PUT .*\/configuration$/, "UpdateFunctionConfiguration"],
  [/^PUT .*\/code$/, "UpdateFunctionCode"],
  [/^GET .*\/code-signing-config$/, "GetFunctionCodeSigningConfig"],
  [/^GET .*\/functions\/[^/]+\/versions$/, "ListVersionsByFunction"],
  [/^POST .*\/policy$/, "AddPermission"],
  [/^GET .*\/policy$/, "GetPolicy"],
  [/^DELETE .*\/policy\/[^/]+$/, "RemovePermission"],
  [/^PUT .*\/concurrency$/, "PutFunctionConcurrency"],
  [/^DELETE .*\/concurrency$/, "DeleteFunctionConcurrency"],
  [/^POST .*\/url$/, "CreateFunctionUrlConfig"],
  [/^GET .*\/url$/, "GetFunctionUrlConfig"],
  [/^PUT .*\/url$/, "UpdateFunctionUrlConfig"],
  [/^DELETE .*\/url$/, "DeleteFunctionUrlConfig"],
  [/^POST .*\/event-source-mappings$/, "CreateEventSourceMapping"],
  [/^GET .*\/event-source-mappings\/[^/]+$/, "GetEventSourceMapping"],
  [/^PUT .*\/event-source-mappings\/[^/]+$/, "UpdateEventSourceMapping"],
  [/^DELETE .*\/event-source-mappings\/[^/]+$/, "DeleteEventSourceMapping"],
  [/^POST .*\/layers\/[^/]+\/versions$/, "PublishLayerVersion"],
  [/^GET .*\/layers\/[^/]+\/versions\/\d+$/, "GetLayerVersion"],
  [/^DELETE .*\/layers\/[^/]+\/versions\/\d+$/, "DeleteLayerVersion"],
  [/^GET .*\/tags\/.*$/, "ListTags"],
  [/^POST .*\/tags\/.*$/, "TagResource"],
  [/^DELETE .*\/tags\/.*$/, "UntagResource"],
];

/** The actions of Amazon Route 53 for the records of a zone. The zone itself belongs to the folder infra/. */
const ROUTE53: readonly (readonly [call: RegExp, action: string])[] = [
  [/^POST .*\/rrset$/, "ChangeResourceRecordSets"],
  [/^GET .*\/rrset$/, "ListResourceRecordSets"],
  [/^GET .*\/change\/[^/]+$/, "GetChange"],
  [/^GET \/[\d-]+\/hostedzone\/[^/]+$/, "GetHostedZone"],
];

/** The parts of a bucket that have a parameter of their own, with the nouns in the names of the actions. */
const BUCKET_PARTS: Readonly<Record<string, string>> = {
  accelerate: "AccelerateConfiguration",
  acl: "BucketAcl",
  cors: "BucketCORS",
  encryption: "EncryptionConfiguration",
  lifecycle: "LifecycleConfiguration",
  location: "BucketLocation",
  logging: "BucketLogging",
  notification: "BucketNotification",
  "object-lock": "BucketObjectLockConfiguration",
  policy: "BucketPolicy",
  publicAccessBlock: "BucketPublicAccessBlock",
  replication: "ReplicationConfiguration",
  requestPayment: "BucketRequestPayment",
  tagging: "BucketTagging",
  versioning: "BucketVersioning",
  website: "BucketWebsite",
};

/** Returns the IAM action of a request, such as `lambda:CreateFunction`. */
export function actionOf({ method, url, headers }: Request, body: string): string {
  const { pathname, searchParams } = new URL(url);
  const [, scope = ""] = /Credential=[^/]+\/\d+\/[^/]*\/([^/]+)\//
    .exec(headers.get("authorization") ?? "") ?? [];
  const service = scope === "monitoring" ? "cloudwatch" : scope; // IAM has another name for it
  const target = headers.get("x-amz-target")?.split(".").at(-1);
  if (target !== undefined) return `${service}:${target}`;
  const action = new URLSearchParams(body).get("Action");
  if (action !== null) return `${service}:${action}`;
  if (service === "apigateway") return `apigateway:${method}`;
  const call = `${method} ${pathname.replace(/\/$/, "")}`;
  const calls = service === "lambda" ? LAMBDA : service === "route53" ? ROUTE53 : undefined;
  if (calls !== undefined) {
    return `${service}:${calls.find(([pattern]) => pattern.test(call))?.[1] ?? call}`;
  }
  if (service === "scheduler" && pathname.startsWith("/schedules/")) {
    const verbs: Readonly<Record<string, string>> = { POST: "Create", PUT: "Update", GET: "Get" };
    return `scheduler:${verbs[method] ?? "Delete"}Schedule`;
  }
  if (service === "s3") return `s3:${bucketAction(method, pathname, searchParams)}`;
  return `${service}:${call}`;
}

function bucketAction(method: string, path: string, query: URLSearchParams): string {
  const part = [...query.keys()].find((name) => name in BUCKET_PARTS);
  if (part !== undefined) {
    // Only some parts have an action to delete them.
    const verb = method === "GET"
      ? "Get"
      : part === "policy" && method === "DELETE"
      ? "Delete"
      : "Put";
    return verb + BUCKET_PARTS[part]!;
  }
  if (path.slice(1).replace(/\/$/, "").includes("/")) {
    return {
      GET: "GetObject",
      HEAD: "GetObject",
      PUT: "PutObject",
      DELETE: "DeleteObject",
    }[method] ??
      `${method} ${path}`;
  }
  if (method === "PUT") return "CreateBucket";
  if (method === "DELETE") return "DeleteBucket";
  if (method === "POST" && query.has("delete")) return "DeleteObjectVersion";
  return query.has("versions") ? "ListBucketVersions" : "ListBucket";
}
