import { assert, assertEquals, assertThrows } from "@std/assert";
import { type } from "arktype";
import * as v from "valibot";
import * as z from "zod";
import { CloudEventSpecificationError, type StandardSchema } from "../../function/mod.ts";
import {
  HttpBadRequestError,
  HttpNotFoundError,
  HttpUnprocessableEntityError,
  HttpUnsupportedMediaTypeError,
} from "../errors/client_errors.ts";
import { FnBridgePutEvent } from "../../scheduler/mod.ts";
import { FnMessageEvent } from "../../topic/mod.ts";
import { withKey } from "../../testdata/accessors.ts";
import { topic } from "../../testdata/service_events.ts";
import { load } from "../testdata/events.ts";
import { FnProxyEvent } from "./proxy_event.ts";

interface Order {
  item: string;
  count: number;
}

/** The same schema, made by three libraries. */
const SCHEMAS = {
  zod: z.object({ item: z.string(), count: z.coerce.number<string | number>() }),
  valibot: v.object({
    item: v.string(),
    count: v.pipe(v.unknown(), v.transform(Number), v.number()),
  }),
  arktype: type({ item: "string", count: type("string.numeric.parse").or("number") }),
} satisfies Record<string, StandardSchema<Order>>;

const post = (body: unknown, contentType?: string) =>
  new FnProxyEvent({
    headers: contentType ? { "content-type": contentType } : {},
    body: JSON.stringify(body),
  });

Deno.test("queryPayload() returns the typed output of a schema of any library", () => {
  const event = post({ item: "tea", count: "3" });
  const outputs: Order[] = [
    event.queryPayload(SCHEMAS.zod),
    event.queryPayload(SCHEMAS.valibot),
    event.queryPayload(SCHEMAS.arktype),
  ];
  for (const output of outputs) assertEquals(output, { item: "tea", count: 3 });
  // @ts-expect-error The output has no such member.
  event.queryPayload(SCHEMAS.zod).price;
});

Deno.test("queryPayload() answers 422 with the issues of the schema", () => {
  const nested = z.object({ items: z.array(z.object({ id: z.number() })) });
  for (
    const [schema, body, path] of [
      ...Object.values(SCHEMAS).map((schema) => [schema, { item: 7, count: 1 }, ["item"]] as const),
      [nested, { items: [{ id: 1 }, { id: "x" }] }, ["items", 1, "id"]],
      [nested, 7, []],
    ] as const
  ) {
    const read = () => post(body).queryPayload(schema as StandardSchema<unknown>);
    const error = assertThrows(read, HttpUnprocessableEntityError);
    assertEquals(error.message, "Invalid payload");
    const { issues } = error.details as { issues: { path: unknown; message: string }[] };
    assertEquals(issues.map(({ path }) => path), [[...path]]);
    assertEquals(Object.keys(issues[0]!), ["path", "message"]);
  }
});

Deno.test("queryPayload() with a schema takes JSON types only", () => {
  const payload = { item: "tea", count: 3 };
  const json = ["application/json", "Application/JSON; charset=utf-8", "text/plain;x=y"]
    .concat("application/merge-patch+json", "application/vnd.api+json");
  for (const type of json) assertEquals(post(payload, type).queryPayload(SCHEMAS.zod), payload);
  for (
    const type of ["text/html", "application/x-www-form-urlencoded", "application/jsonx", "+json"]
  ) {
    const event = post(payload, type);
    assertThrows(() => event.queryPayload(SCHEMAS.zod), HttpUnsupportedMediaTypeError);
    assertEquals(event.queryPayload(), payload);
  }
});

Deno.test("the query and the path answer 400 and 404 for a value that a schema refuses", () => {
  const pathParameters = { id: "7" };
  const event = new FnProxyEvent({ queryStringParameters: { page: "2" }, pathParameters });
  const number = z.string().regex(/^\d$/).transform(Number);
  const { page } = event.queryStringParameters(z.object({ page: number }));
  const { id } = event.pathParameters(z.object({ id: number }));
  assertEquals<number[]>([page, id], [2, 7]);
  const strict = z.object({ other: z.string() });
  const message = "Invalid input: expected string, received undefined";
  const issues = [{ path: ["other"], message }];
  const bad = assertThrows(() => event.queryStringParameters(strict), HttpBadRequestError);
  assertEquals([bad.message, bad.details], ["Invalid query parameters", { issues }]);
  const lost = assertThrows(() => event.pathParameters(strict), HttpNotFoundError);
  assertEquals([lost.message, lost.details], ["Invalid path parameters", { issues }]);
});

Deno.test("data of the platform raises CloudEventSpecificationError if a schema refuses it", () => {
  const schema = z.object({ sub: z.number() });
  const message = (text: string) =>
    new FnMessageEvent(withKey(topic, "Records.0.Sns.Message", text));
  const jwt = new FnProxyEvent(load("apiV2"));
  for (
    const [read, path] of [
      [() => jwt.authorizerClaims(schema), "requestContext.authorizer.jwt.claims.sub"],
      [() => new FnBridgePutEvent({ detail: { sub: "x" } }).detail(schema), "detail.sub"],
      [() => message("{}").messagePayload(schema), "Records[0].Sns.Message.sub"],
    ] as const
  ) {
    const error = assertThrows(read, CloudEventSpecificationError);
    assertEquals(error.path, path);
    assertEquals(error.message, `Cannot read the event: "${path}" is refused by the schema`);
  }
  assertEquals(jwt.authorizerClaims(z.object({ sub: z.string() }))?.sub, "mira");
  assertEquals(new FnBridgePutEvent({ detail: "7" }).detail(z.number()) + 1, 8);
  assertEquals(message('{"a":1}').messagePayload(z.object({ a: z.number() })).a, 1);
});

Deno.test("authorizerClaims() does not validate an anonymous request", () => {
  const refuseAll = z.never();
  assertEquals(new FnProxyEvent({ requestContext: {} }).authorizerClaims(refuseAll), null);
  assertEquals(new FnProxyEvent(load("alb")).authorizerClaims(refuseAll), null);
});

Deno.test("a schema that validates asynchronously causes a TypeError", () => {
  const schema = v.objectAsync({
    a: v.pipeAsync(v.string(), v.checkAsync(() => Promise.resolve(true))),
  });
  const error = assertThrows(() => post({ a: "x" }).queryPayload(schema), TypeError);
  const expected = "Invalid schema: expected a synchronous one that throws nothing";
  assertEquals(error.message, expected);
});

Deno.test("a schema that throws causes a TypeError, and what it throws is the cause", async () => {
  const schema = z.object({ a: z.string().transform(BigInt) }); // zod returns a promise that is rejected.
  const error = assertThrows(() => post({ a: "x" }).queryPayload(schema), TypeError);
  await new Promise((resolve) => setTimeout(resolve));
  assert(error.cause instanceof SyntaxError);
});

Deno.test("validation never fails open: a promise of another realm, and a malformed result, cause a TypeError", async () => {
  const { createContext, runInContext } = await import("node:vm");
  const realm = createContext({});
  const none = "Invalid result of a schema: expected value or issues";
  for (
    const [name, result, message] of [
      [
        "a promise of another realm",
        runInContext("Promise.resolve({ value: 1 })", realm),
        "synchronous",
      ],
      ["a rejected one", runInContext("Promise.reject(new Error('x'))", realm), "synchronous"],
      [
        "a thenable",
        { value: 1, then: (done: (result: unknown) => void) => done(1) },
        "synchronous",
      ],
      ["a function with then", Object.assign(() => {}, { value: 1, then() {} }), "synchronous"],
      ["an empty object", {}, none],
      ["issues that are undefined", { issues: undefined }, none],
      ["undefined", undefined, none],
      ["null", null, none],
      ["a boolean, as of a type guard", true, none],
    ] as const
  ) {
    const validate = () => result as { value: unknown };
    const schema = { "~standard": { version: 1, vendor: "test", validate } } as const;
    assertThrows(() => post({}).queryPayload(schema), TypeError, message, name);
  }
  const nothing = {
    "~standard": { version: 1, vendor: "t", validate: () => ({ value: undefined }) },
  };
  assertEquals(post({}).queryPayload(nothing as StandardSchema), undefined);
});
