import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { FnContext } from "../function/mod.ts";
import { withRequestId } from "../logger/mod.ts";
import { run, RuntimeApiError } from "./mod.ts";
import { drive, onlyPost } from "./testdata/drive.ts";
import { invocation, StubApi } from "./testdata/stub_api.ts";

Deno.test("run() fetches as many invocations at once as the environment says, each with its own context", async () => {
  Deno.env.set("AWS_LAMBDA_MAX_CONCURRENCY", "3");
  Deno.env.set("_X_AMZN_TRACE_ID", "left alone");
  try {
    await using stub = new StubApi(["a", "b", "c", "d"].map((id) => {
      const headers = { "Lambda-Runtime-Aws-Request-Id": id, "Lambda-Runtime-Trace-Id": id };
      return invocation(JSON.stringify(id), headers);
    }));
    let release = () => {};
    const all = new Promise<void>((resolve) => release = resolve);
    let running = 0;
    let most = 0;
    const handler = async (event: string, context: FnContext) => {
      most = Math.max(most, ++running);
      if (running === 3) release();
      await all;
      running--;
      assertEquals(Deno.env.get("_X_AMZN_TRACE_ID"), "left alone");
      return [event, context.awsRequestId];
    };
    stub.onRequest = ({ path }) => {
      // The end must not overtake the answers.
      return path.endsWith("/next") && stub.requests.length > 4 && stub.posts.length < 4
        ? { delay: 100, status: 410, body: "no more" }
        : undefined;
    };
    await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
    assertEquals(most, 3);
    for (const { path, body } of stub.posts) {
      const [event, id] = JSON.parse(body);
      assertEquals([event, path.split("/").at(-2)], [id, id]);
    }
  } finally {
    Deno.env.delete("AWS_LAMBDA_MAX_CONCURRENCY");
    Deno.env.delete("_X_AMZN_TRACE_ID");
  }
});

Deno.test("run() fetches and runs nothing more once one of several invocations at once has ended it", async () => {
  Deno.env.set("AWS_LAMBDA_MAX_CONCURRENCY", "3");
  const over = Promise.withResolvers<void>();
  try {
    await using stub = new StubApi([]);
    let fetched = 0;
    stub.onRequest = ({ path }) => {
      if (!path.endsWith("/next")) return undefined;
      fetched++;
      if (fetched === 4) return { delay: 50, status: 500 };
      return { ...invocation(fetched), until: [5, 6].includes(fetched) ? over.promise : undefined };
    };
    const seen: number[] = [];
    const handler = (event: number) => void seen.push(event);
    const error = await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
    assertEquals(error.status, 500);
    await new Promise((resolve) => setTimeout(resolve, 50));
    over.resolve();
    assertEquals([seen.toSorted(), fetched], [[1, 2, 3], 6]);
  } finally {
    over.resolve();
    Deno.env.delete("AWS_LAMBDA_MAX_CONCURRENCY");
  }
});

for (const refused of ["next", "response"]) {
  Deno.test(`run() fails what else is under way when the platform answers ${refused} with 500`, async () => {
    Deno.env.set("AWS_LAMBDA_MAX_CONCURRENCY", "2");
    try {
      const events = [invocation('"slow"'), invocation('"fast"')];
      await using stub = new StubApi(events);
      const isUnderWay = Promise.withResolvers<void>();
      stub.onRequest = ({ path }) => {
        const isRefused = path.endsWith(refused) && (refused !== "next" || events.length === 0);
        return isRefused ? { status: 500, until: isUnderWay.promise } : undefined;
      };
      const handler = (event: string) => {
        if (event === "fast") return 1;
        isUnderWay.resolve();
        return new Promise(() => {});
      };
      const error = await assertRejects(() => run(handler, { api: stub.api }), RuntimeApiError);
      assertEquals(error.status, 500);
      const { path, body } = stub.posts.at(-1)!;
      assertEquals(path.endsWith("/error"), true);
      assertStringIncludes(body, "answered 500");
    } finally {
      Deno.env.delete("AWS_LAMBDA_MAX_CONCURRENCY");
    }
  });
}

for (const text of ["", "0", "-1", "x", "1.5", "10000"]) {
  Deno.test(`run() refuses ${JSON.stringify(text)} invocations at once`, async () => {
    Deno.env.set("AWS_LAMBDA_MAX_CONCURRENCY", text);
    try {
      await assertRejects(() => run(() => 1, { api: "127.0.0.1:1" }), TypeError, "MAX_CONCURRENCY");
    } finally {
      Deno.env.delete("AWS_LAMBDA_MAX_CONCURRENCY");
    }
  });
}

Deno.test("run() refuses what it cannot run", async () => {
  const api = "127.0.0.1:1";
  await assertRejects(() => run("x" as never, { api }), Error, "expected a function, got string");
  // deno-lint-ignore no-explicit-any -- a handler as it was written for older runtimes
  const old: any = (_event: unknown, _context: unknown, callback: () => void) => callback();
  await assertRejects(() => run(old, { api }), Error, "takes a callback");
  await assertRejects(() => run(() => 1, { api: "nowhere" }), TypeError, '"nowhere"');
  await assertRejects(() => run(() => 1), Error, "AWS_LAMBDA_RUNTIME_API is not set");
});

Deno.test("run() lets a handler open a scope of its own", async () => {
  await using stub = new StubApi([invocation(1)]);
  await drive(stub, () => withRequestId("inner", () => Promise.resolve("done")));
  assertEquals(onlyPost(stub).body, '"done"');
});
