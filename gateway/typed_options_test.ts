import { assertEquals, assertThrows } from "@std/assert";
import {
  buildHttpClientErrorResponse,
  buildHttpResponse,
  buildHttpServerErrorResponse,
  type CustomTransformers,
  determineContentType,
  FnProxyEvent,
  HttpNotFoundError,
  HttpNotImplementedError,
  proxyHandler,
  type ProxyHandlerOptions,
  type ResponseOptions,
} from "./mod.ts";

// Annotated without a type argument, as users write it.
const customTransformers: CustomTransformers = {
  "text/plain": (payload) => [JSON.stringify(payload), "text/plain; charset=utf-8"],
};

Deno.test("ResponseOptions and CustomTransformers fit any payload unless told otherwise", () => {
  const event = new FnProxyEvent({ headers: { Accept: "text/plain" } });
  const options: ResponseOptions = { event, customTransformers };
  assertEquals(buildHttpResponse(200, { id: 1 }, options).body, '{"id":1}');
  assertEquals(buildHttpResponse(200, "x", options).body, '{"Message":"x"}');
  const quiet = { ...options, log: false };
  assertEquals(buildHttpClientErrorResponse(new HttpNotFoundError(), quiet).statusCode, 404);
  assertEquals(buildHttpServerErrorResponse(new HttpNotImplementedError(), quiet).statusCode, 501);
});

Deno.test("ProxyHandlerOptions fit any route unless told otherwise", async () => {
  const options: ProxyHandlerOptions = { customTransformers };
  const handler = proxyHandler(() => ({ id: 1 }), options);
  assertEquals((await handler({ headers: { Accept: "text/plain" } })).body, '{"id":1}');
});

Deno.test("The raw event in the place of an FnProxyEvent is an error that says so", () => {
  const raw = { headers: {} } as never;
  const message = "Invalid event: expected an FnProxyEvent";
  assertThrows(() => buildHttpResponse(200, {}, { event: raw }), TypeError, message);
  assertThrows(() => determineContentType(raw), TypeError, message);
});

Deno.test("A transformer that takes something else than the payload is a type error", () => {
  const ofNames = { "a/b": (payload: { name: string }) => [payload.name, "text/plain"] as const };
  // @ts-expect-error The payload has no name.
  buildHttpResponse(200, { id: 1 }, { customTransformers: ofNames });
  // @ts-expect-error What the route returns has no name, nor has the message of an error.
  proxyHandler(() => ({ id: 1 }), { customTransformers: ofNames });
  const { body } = buildHttpResponse(200, { name: "x", id: 1 }, { customTransformers: ofNames });
  assertEquals(JSON.parse(body), { name: "x", id: 1 });
});
