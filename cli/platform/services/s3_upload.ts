import { chunkedContent } from "./aws_chunked.ts";
import type { MultipartUploads } from "./multipart.ts";
import { readSource, storedFields, type Target } from "./s3_object.ts";
import { xml, xmlResponse } from "./xml.ts";

/** Answers a request about a multipart upload. */
export async function answerUpload(
  request: Request,
  query: URLSearchParams,
  { bucket, buckets, name, key, client, fields }: Target,
  uploads: MultipartUploads,
): Promise<Response | undefined> {
  const { method, headers } = request;
  const place = `${name}/${key}`;
  if (method === "POST" && query.has("uploads")) {
    const id = await uploads.begin(place, storedFields(headers));
    return xmlResponse(
      xml`
        <InitiateMultipartUploadResult>
          <Bucket>${name}</Bucket>
          <Key>${key}</Key>
          <UploadId>${id}</UploadId>
        </InitiateMultipartUploadResult>
      `,
    );
  }
  const upload = uploads.find(query.get("uploadId") ?? "", place);
  if (method === "PUT") {
    const source = headers.get("x-amz-copy-source");
    const content = source === null
      ? chunkedContent(request)
      : (await readSource(source, headers.get("x-amz-copy-source-range"), buckets)).content;
    const etag = await upload.put(query.get("partNumber") ?? "", content);
    const result = xml`
      <CopyPartResult>
        <ETag>"${etag}"</ETag>
      </CopyPartResult>
    `;
    return source === null
      ? new Response(null, { headers: { ETag: `"${etag}"` } })
      : xmlResponse(result);
  }
  if (method === "DELETE") {
    await uploads.end(upload);
    return new Response(null, { status: 204 });
  }
  if (method !== "POST") return undefined;
  const content = upload.join(await request.text());
  const how = "CompleteMultipartUpload";
  const { etag } = await bucket.put(key, content, { ...client, how });
  fields.set(place, upload.fields);
  await uploads.end(upload);
  return xmlResponse(
    xml`
      <CompleteMultipartUploadResult>
        <Bucket>${name}</Bucket>
        <Key>${key}</Key>
        <ETag>"${etag}"</ETag>
      </CompleteMultipartUploadResult>
    `,
  );
}
