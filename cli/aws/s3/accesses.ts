import { bucketArn } from "../../rules/arn.ts";
import type { S3Request } from "./operations.ts";
import { placeOfSource } from "./source.ts";
import type { Access } from "../service_call.ts";

/**
 * Lists the accesses that a request to Amazon S3 needs.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
export function accessesOf(call: S3Request): readonly Access[] {
  const { operation, headers, items = [] } = call;
  const bucket = bucketArn(call.bucket);
  const object = `${bucket}/${call.key}`;
  const source = headers.get("x-amz-copy-source");
  // To compare an entity tag, Amazon S3 reads the object.
  const compares = headers.has("if-match") && headers.get("if-match") !== "*";
  const conditional = compares ? [{ action: "s3:GetObject", resource: object }] : [];
  switch (operation) {
    case "ListBuckets":
      return [{ action: "s3:ListAllMyBuckets", resource: "*" }];
    case "GetBucketLocation":
      return [{ action: "s3:GetBucketLocation", resource: bucket }];
    case "HeadBucket":
    case "ListObjects":
    case "ListObjectsV2":
      return [{ action: "s3:ListBucket", resource: bucket }];
    case "GetObject":
    case "HeadObject":
      return [{ action: "s3:GetObject", resource: object }];
    case "DeleteObject":
      return [{ action: "s3:DeleteObject", resource: object }, ...conditional];
    case "DeleteObjects":
      return items.map(({ Key }) => ({
        action: "s3:DeleteObject",
        resource: `${bucket}/${Key}`,
      }));
    case "AbortMultipartUpload":
      return [{ action: "s3:AbortMultipartUpload", resource: object }];
    case "CopyObject":
    case "UploadPartCopy": {
      const from = bucketArn(placeOfSource(source!).join("/"));
      return [
        { action: "s3:PutObject", resource: object },
        { action: "s3:GetObject", resource: from },
        ...conditional,
      ];
    }
    case "CompleteMultipartUpload":
    case "CreateMultipartUpload":
    case "PutObject":
    case "UploadPart":
      return [{ action: "s3:PutObject", resource: object }, ...conditional];
  }
}
