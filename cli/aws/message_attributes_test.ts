import { queueEvent } from "@mate/core/testing";
import { assertEquals } from "@std/assert";
import { attributesMd5 } from "./message_attributes.ts";

Deno.test("attributesMd5() makes the digest that queueEvent() makes", () => {
  const [record] = queueEvent([{
    messageAttributes: {
      weight: { Type: "Number", Value: -12.5 },
      Kind: { Type: "String", Value: "café" },
      digest: { Type: "Binary", Value: new Uint8Array([0, 255]) },
    },
  }]).Records;
  const digest = attributesMd5({
    weight: { DataType: "Number", StringValue: "-12.5" },
    Kind: { DataType: "String", StringValue: "café" },
    digest: { DataType: "Binary", BinaryValue: "AP8=" },
  });
  assertEquals(record!.md5OfMessageAttributes, digest);
});
