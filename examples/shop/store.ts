/** The data of the shop: JSON objects in the bucket "store". */
import {
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";

/** One client for all invocations of a process. */
export const s3 = new S3Client();

const bucket = () => Deno.env.get("BUCKET_STORE");

/** Reads an object; `undefined` if there is none. */
export async function read<T>(key: string): Promise<T | undefined> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket(), Key: key }));
    return JSON.parse(await Body!.transformToString());
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  }
}

/** Writes an object. */
export async function write(key: string, value: unknown): Promise<void> {
  await s3.send(
    new PutObjectCommand({
      Bucket: bucket(),
      Key: key,
      Body: JSON.stringify(value),
      ContentType: "application/json",
    }),
  );
}

/** Lists the names below a prefix such as `products/`. */
export async function* list(prefix: string): AsyncGenerator<string> {
  let ContinuationToken: string | undefined;
  do {
    const page = await s3.send(
      new ListObjectsV2Command({ Bucket: bucket(), Prefix: prefix, ContinuationToken }),
    );
    for (const { Key } of page.Contents ?? []) yield Key!.slice(prefix.length);
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}
