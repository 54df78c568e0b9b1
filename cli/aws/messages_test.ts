import { queueEvent } from "@mate/core/testing";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { attributeProblem, attributesMd5, type MessageAttribute } from "./messages.ts";

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

Deno.test("attributeProblem() names the first attribute that Amazon SQS and Amazon SNS refuse", () => {
  const text = { DataType: "String", StringValue: "x" };
  const number = (StringValue: string) => ({ DataType: "Number", StringValue });
  const long = (length: number) => "x".repeat(length);
  const [name, prefix] = ["Invalid message attribute name", "must not start with 'AWS.'"];
  const [type, value] = [
    "has an invalid message attribute type",
    "a non-empty message attribute value",
  ];
  const table: [name: string, attribute: Partial<MessageAttribute>, problem?: string][] = [
    ["A.b-c_1", text],
    [long(256), text],
    [long(257), text, name],
    ["a..b", text, name],
    [".a", text, name],
    ["a.", text, name],
    ["a b", text, name],
    ["AWS.a", text, prefix],
    ["amazon.a", text, prefix],
    ["a", { StringValue: "x" }, "a non-empty message attribute type"],
    ["a", { ...text, DataType: "Text" }, type],
    ["a", { ...text, DataType: "String." }, type],
    ["a", { ...text, DataType: `String.${long(249)}` }],
    ["a", { ...text, DataType: `String.${long(250)}` }, type],
    ["a", { DataType: "String" }, value],
    ["a", { ...text, StringValue: "" }, value],
    ["a", { ...text, DataType: "Binary" }, value],
    ["a", { ...text, BinaryValue: "AA==" }, "has values of two types"],
    ["a", number("-1.5e+3")],
    ["a", number(".5")],
    ["a", number("one"), "Can't cast the value"],
    ["a", number("1e"), "Can't cast the value"],
    ["a", { DataType: "Binary.png", BinaryValue: "AA==" }],
    ["a", { DataType: "Binary", BinaryValue: "?" }, "must have a value in base64"],
  ];
  for (const [name, attribute, problem] of table) {
    const attributes = { first: text, [name]: attribute as MessageAttribute };
    const found = attributeProblem(attributes);
    if (problem === undefined) assertEquals(found, undefined, name);
    else assertStringIncludes(found ?? "", problem, JSON.stringify(attribute));
  }
});
