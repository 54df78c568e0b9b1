/** A function with a client of the AWS SDK: what starting costs where much code is loaded. */
import { S3Client } from "@aws-sdk/client-s3";

const client = new S3Client({});

/** Names the client's region. */
export async function handler(): Promise<string> {
  return await client.config.region();
}
