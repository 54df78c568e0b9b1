import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { S3Error } from "../service_call.ts";
import { listObjects, readDocument } from "./documents.ts";

const read = (text: BlobPart) => readDocument(new Blob([text]).stream(), "Delete", "Object");

Deno.test("readDocument() reads texts and items, with entities and namespaces", async () => {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  const name = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  const key = " a&amp;b&lt;&#10;&#x1F600;&quot; ";
  const document = `${head}<Delete ${name}>\n <Quiet>true</Quiet>
    <Object><Key>${key}</Key></Object><Object><Key><![CDATA[<b>]]></Key></Object></Delete>`;
  assertEquals(await read(document), {
    texts: { Quiet: "true" },
    items: [{ Key: ' a&b<\n\u{1f600}" ' }, { Key: "<b>" }],
  });
  for (const document of ["<Delete/>", "<Delete></Delete>", "<Delete> </Delete>"]) {
    assertEquals(await read(document), { texts: {}, items: [] });
  }
  assertEquals((await read("<Delete><Object> </Object></Delete>")).items, [{}]);
  const last = `<Delete><Object><Key>&#x10ffff;</Key></Object></Delete>`;
  assertEquals((await read(last)).items, [{ Key: "\u{10ffff}" }]);
});

Deno.test("readDocument() refuses what is not such a document", async () => {
  const cases = [
    "",
    "Delete",
    "<Delete>",
    "<Delete><Object></Delete></Object>",
    "<Other></Other>",
    "<Delete></Delete><Delete></Delete>",
    "<Delete></Delete><Other></Other>",
    "<Delete></Delete>rest",
    "<Delete><Object>a</Object></Delete>",
    "<Delete><Object><Key><a>b</a></Key></Object></Delete>",
    "<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>",
    "<Delete><Object><Key>&unknown;</Key></Object></Delete>",
    "<Delete><Object><Key>&#x110000;</Key></Object></Delete>",
    '<!DOCTYPE d [<!ENTITY e "x">]><Delete><Object><Key>&e;</Key></Object></Delete>',
    Uint8Array.of(60, 255),
    `<Delete>${" ".repeat(5_000_000)}</Delete>`,
  ];
  for (const document of cases) {
    const { code } = await assertRejects(() => read(document), S3Error);
    assertEquals(code, "MalformedXML", String(document).slice(0, 80));
  }
});

/** Lists keys with a query. Returns the texts of the elements by name. */
async function list(keys: readonly string[], query: string): Promise<Record<string, string[]>> {
  const objects = keys.map((key) => ({ key, size: 1, etag: "e", modified: 1_999 }));
  const response = listObjects(objects, "photos", new URLSearchParams(query));
  const elements: Record<string, string[]> = {};
  for (const [, name, text] of (await response.text()).matchAll(/<(\w+)>([^<]*)<\/\1>/g)) {
    (elements[name!] ??= []).push(text!);
  }
  return elements;
}

const V2 = "list-type=2";
const KEYS = ["a", "b/1", "b/2", "c", "d/1"];

Deno.test("listObjects() repeats what the request asks for", async () => {
  const first = await list(KEYS, "prefix=b/&delimiter=/&marker=a&max-keys=7");
  const { Prefix, Delimiter, Marker, MaxKeys, IsTruncated } = first;
  assertEquals([Prefix, Delimiter, Marker, MaxKeys], [["b/"], ["/"], ["a"], ["7"]]);
  assertEquals([IsTruncated, first.KeyCount], [["false"], undefined]);
  assertEquals([first.NextMarker, first.EncodingType], [undefined, undefined]);
  assertEquals([first.ID?.length, first.StorageClass], [2, ["STANDARD", "STANDARD"]]);
  const second = await list(KEYS, `${V2}&start-after=b/1`);
  assertEquals([second.KeyCount, second.StartAfter, second.Marker], [["3"], ["b/1"], undefined]);
  assertEquals([second.ID, second.Delimiter], [undefined, undefined]);
  assertEquals((await list(KEYS, `${V2}&fetch-owner=true`)).ID?.length, 5);
  assertEquals((await list(KEYS, "max-keys=5000")).MaxKeys, ["1000"]);
  const { NextContinuationToken: [token = ""] = [], StartAfter } = await list(
    KEYS,
    `${V2}&max-keys=1`,
  );
  const third = await list(KEYS, `${V2}&continuation-token=${encodeURIComponent(token)}`);
  assertEquals([third.ContinuationToken, StartAfter], [[token], undefined]);
  assertEquals((await list(["a"], "")).LastModified, ["1970-01-01T00:00:01.000Z"]);
});

Deno.test("listObjects() continues after a common prefix, and does not repeat it", async () => {
  const expected = ["a", "b/", "c", "d/"];
  for (const version of ["", V2]) {
    const found: string[] = [];
    for (let after = ""; found.length < 9;) {
      const page = await list(KEYS, `${version}&delimiter=/&max-keys=1${after}`);
      found.push(...page.Key ?? [], ...page.Prefix!.slice(1));
      const [next] = page.NextContinuationToken ?? page.NextMarker ?? [];
      if (page.IsTruncated?.[0] === "false") break;
      const name = version === V2 ? "continuation-token" : "marker";
      after = `&${name}=${encodeURIComponent(next!)}`;
    }
    assertEquals(found, expected, version);
  }
  const { NextMarker, IsTruncated } = await list(KEYS, "max-keys=1");
  assertEquals([NextMarker, IsTruncated], [undefined, ["true"]], "without a delimiter");
  assertEquals((await list(KEYS, "max-keys=0")).IsTruncated, ["false"]);
  const { Prefix, ...last } = await list(["/1", "/2"], "delimiter=/&max-keys=1");
  assertEquals([Prefix, last.IsTruncated], [["", "/"], ["false"]]);
  assertEquals((await list(KEYS, `${V2}&max-keys=1`)).NextContinuationToken?.[0] === "a", false);
});

Deno.test("listObjects() encodes keys if the request asks for it", async () => {
  const keys = ["date=2026 01/a+b(~)*.png"];
  const { Key, EncodingType } = await list(keys, `${V2}&encoding-type=url`);
  assertEquals([Key, EncodingType], [["date%3D2026+01/a%2Bb%28%7E%29*.png"], ["url"]]);
  const { Delimiter } = await list(keys, "delimiter=%252F&encoding-type=url");
  assertEquals(Delimiter, ["%252F"]);
});

Deno.test("listObjects() refuses wrong parameters by name", () => {
  const cases = [
    ["encoding-type=value", "Invalid Encoding Method specified in Request"],
    ["max-keys=many", "Provided max-keys not an integer or within integer range"],
    ["max-keys=99999999999", "Provided max-keys not an integer or within integer range"],
    ["max-keys=-1", "Argument maxKeys must be an integer between 0 and 2147483647"],
    [`${V2}&continuation-token=`, "The continuation token provided is incorrect"],
    [`${V2}&continuation-token=a`, "The continuation token provided is incorrect"],
    ["list-type=3", "Invalid List Type specified in Request"],
  ] as const;
  for (const [query, message] of cases) {
    const read = () => listObjects([], "photos", new URLSearchParams(query));
    const { code } = assertThrows(read, S3Error, message);
    assertEquals(code, "InvalidArgument", query);
  }
});
