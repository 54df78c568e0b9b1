import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import type { FnContext } from "@mate/core/function";
import http from "../../../testdata/http_rest.json" with { type: "json" };
import { handler } from "../../../examples/functions/okay.ts";
import type { Cases } from "./cases.ts";

const CONTEXT: FnContext = {
  awsRequestId: "3b1f0c5e-6a1d-4c57-9f0e-2d8a7b6c5e41",
  functionName: "okay",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:okay",
  memoryLimitInMB: "256",
  logGroupName: "/aws/lambda/okay",
  logStreamName: "2026/11/21/[$LATEST]0123456789abcdef",
  getRemainingTimeInMillis: () => 3_000,
};

/** Calls the function as the managed runtime of Node.js does, and reads what leaves the gateway. */
async function call(accept: string): Promise<{ type: string; text: string }> {
  const event = { ...http, headers: { ...http.headers, Accept: accept } };
  const { statusCode, headers, body, isBase64Encoded } = await handler(event, CONTEXT);
  assert.deepEqual([statusCode, isBase64Encoded], [200, true]);
  assert.equal(headers["Content-Encoding"], "gzip");
  const bytes = gunzipSync(Uint8Array.from(atob(body), (character) => character.charCodeAt(0)));
  return { type: headers["Content-Type"]!, text: bytes.toString() };
}

/** A function of the example, on the managed runtime. */
export const okay: Cases = {
  async "the example's okay function answers in JSON"() {
    const { type, text } = await call("application/json");
    assert.equal(type, "application/json; charset=utf-8");
    const { accessors, rawEvent } = JSON.parse(text);
    assert.equal(accessors["sourceIp()"].result, http.requestContext.identity.sourceIp);
    assert.equal(rawEvent.path, http.path);
  },

  async "the example's okay function shows a page to a browser"() {
    const { type, text } = await call(http.headers.Accept);
    assert.match(type, /^text\/html\b/);
    assert.match(text, /^<!doctype html>/i);
  },
};
