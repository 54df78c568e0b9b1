import type { StoredObject } from "../triggers/bucket_folder.ts";
import { xml, xmlResponse } from "./xml.ts";

/** Lists objects as ListObjectsV2 of Amazon S3 does, and as ListObjects if the query has no `list-type=2`. */
export function listObjects(
  objects: readonly StoredObject[],
  name: string,
  query: URLSearchParams,
): Response {
  const isSecondVersion = query.get("list-type") === "2";
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const after = isSecondVersion
    ? query.get("continuation-token") ?? query.get("start-after") ?? ""
    : query.get("marker") ?? "";
  const limit = Math.min(1_000, Number(query.get("max-keys") ?? 1_000));
  const contents = [];
  const prefixes = new Set<string>();
  let last = after;
  let isTruncated = false;
  for (const { key, size, etag, modified } of objects) {
    if (!key.startsWith(prefix) || key <= after) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const common = key.slice(0, end + delimiter.length);
    if (end >= 0 && (prefixes.has(common) || common === after)) {
      last = key;
      continue;
    }
    if (contents.length + prefixes.size === limit) {
      isTruncated = true;
      break;
    }
    last = key;
    if (end >= 0) prefixes.add(common);
    else {
      const time = new Date(modified).toISOString();
      contents.push(
        xml`
          <Contents>
            <Key>${key}</Key>
            <LastModified>${time}</LastModified>
            <ETag>"${etag}"</ETag>
            <Size>${size}</Size>
            <StorageClass>STANDARD</StorageClass>
          </Contents>
        `,
      );
    }
  }
  const common = [...prefixes].map((prefix) =>
    xml`
      <CommonPrefixes>
        <Prefix>${prefix}</Prefix>
      </CommonPrefixes>
    `
  );
  const next = !isTruncated
    ? xml``
    : isSecondVersion
    ? xml`<NextContinuationToken>${last}</NextContinuationToken>`
    : xml`<NextMarker>${last}</NextMarker>`;
  const count = contents.length + prefixes.size;
  return xmlResponse(
    xml`<ListBucketResult><Name>${name}</Name><Prefix>${prefix}</Prefix><MaxKeys>${limit}</MaxKeys><KeyCount>${count}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>${next}${contents}${common}</ListBucketResult>`,
  );
}
