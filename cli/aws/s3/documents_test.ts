import { assertEquals, assertRejects } from "@std/assert";
import { S3Error } from "../responses.ts";
import { readDocument } from "./documents.ts";

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
