import { assert, assertEquals, assertRejects } from "@std/assert";
import { proxyHandler, reply, routes } from "../gateway/mod.ts";
import { loggerState } from "../logger/state.ts";
import "../testdata/own_environment.ts";
import { until } from "../testdata/waiting.ts";
import { readHandler } from "./answer.ts";
import { listen } from "./mod.ts";
import { serveNode } from "./node_server.ts";
import { readSettings } from "./options.ts";
import { watchProcess } from "./process.ts";

const handler = proxyHandler(() => ["yes"]);

Deno.test("listen() refuses wrong options and variables by name", async () => {
  const wrong: [Record<string, unknown>, string][] = [
    [{ port: -1 }, "port"],
    [{ port: 65_536 }, "port"],
    [{ port: "80" }, "port"],
    [{ hostname: "" }, "hostname"],
    [{ hostname: 7 }, "hostname"],
    [{ grace: -1 }, "grace"],
    [{ grace: 0.5 }, "grace"],
    [{ onShutdown: "no" }, "onShutdown"],
    [{ proxies: -1 }, "proxies"],
    [{ host: "localhost" }, "host"],
  ];
  for (const [options, name] of wrong) {
    await assertRejects(() => listen(handler, options), TypeError, name);
  }
  await assertRejects(() => listen((() => {}) as never), TypeError, "proxyHandler()");
  const variables: [string, string][] = [
    ["PORT", "eighty"],
    ["PORT", "70000"],
    ["AWS_LAMBDA_HTTP_ENDPOINT", "3000"],
    ["AWS_LAMBDA_HTTP_ENDPOINT", "0.0.0.0:99999"],
    ["AWS_LAMBDA_HTTP_ENDPOINT", "::1:3000"],
  ];
  for (const [name, value] of variables) {
    Deno.env.set(name, value);
    await assertRejects(() => listen(handler), TypeError, name);
    Deno.env.delete(name);
  }
});

Deno.test("listen() takes the address of the platform, the option, or PORT", async () => {
  const free = () => {
    const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    listener.close();
    return (listener.addr as Deno.NetAddr).port;
  };
  const [platform, variable] = [free(), free()];
  Deno.env.set("PORT", String(variable));
  const open = await listen(handler);
  assertEquals([open.hostname, open.port], ["127.0.0.1", variable]);
  await assertRejects(() => listen(handler, { port: variable }), Error); // it is in use
  const chosen = await listen(handler, { port: 0, hostname: "127.0.0.1" });
  assert(chosen.port !== variable);
  Deno.env.set("AWS_LAMBDA_HTTP_ENDPOINT", `127.0.0.1:${platform}`);
  const lambda = await listen(handler, { port: 0, hostname: "localhost" });
  assertEquals([lambda.hostname, lambda.port], ["127.0.0.1", platform]);
  assertEquals(loggerState().format, "json");
  delete loggerState().format;
  Deno.env.delete("AWS_LAMBDA_HTTP_ENDPOINT");
  Deno.env.delete("PORT");
  for (const server of [open, chosen, lambda]) {
    const closing = server.close();
    assertEquals(server.close(), closing);
    await closing;
    await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port: server.port }));
  }
});

// `servers_test.ts` runs the same on Node.js itself.
Deno.test("a server of node:http answers, streams, keeps the limit of a body, and ends", async () => {
  let stopped = false;
  const table = routes({
    "GET /": (event) => [event.httpMethod(), String(event.sourceIp()), event.header("x-two")],
    "POST /": (event) => reply(200, event.bytes(), { type: "application/octet-stream" }),
    "GET /stream": () =>
      (async function* () {
        for (let part = 0; part < 40; part++) yield await Promise.resolve("x".repeat(100_000));
      })(),
    "GET /broken": () =>
      (async function* () {
        yield await Promise.resolve("x");
        throw new Error("Broken on the way");
      })(),
    "GET /waiting": () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(1)),
        cancel: () => {
          stopped = true;
        },
      }),
  });
  const answer = readHandler(proxyHandler(table, { indent: 0 }), readSettings({ maxBody: 10 }));
  const server = await serveNode({ hostname: "127.0.0.1", port: 0 }, answer, 10, true);
  const base = `http://127.0.0.1:${server.port}`;
  const headers = new Headers([["X-Two", "1"], ["X-Two", "2"]]);
  assertEquals(await (await fetch(base, { headers })).json(), ["GET", "127.0.0.1", "1, 2"]);
  assertEquals(
    await (await fetch(base, { method: "POST", body: "0123456789" })).text(),
    "0123456789",
  );
  const long = await fetch(base, { method: "POST", body: "0123456789+".repeat(10_000) });
  assertEquals([long.status, (await long.text()).includes("10 bytes")], [413, true]);
  assertEquals((await (await fetch(`${base}/stream`)).text()).length, 4_000_000);
  await assertRejects(async () => await (await fetch(`${base}/broken`)).text());
  const waiting = await fetch(`${base}/waiting`);
  await waiting.body!.cancel();
  await until("the end of the source", () => stopped);
  const pending = await fetch(`${base}/waiting`);
  const end = server.stop();
  server.kill();
  await end;
  await assertRejects(() => pending.text());
  await assertRejects(() => serveNode({ hostname: "256.0.0.1", port: 1 }, answer, 10, false));
});

Deno.test("an uncaught error ends the server and then the process, once; not after close()", async () => {
  const steps: unknown[] = [];
  const { exit } = Deno;
  Object.assign(Deno, { exit: (status: number) => steps.push(status) });
  try {
    const end = () => Promise.resolve(void steps.push("end"));
    const unwatch = watchProcess(end, () => {
      steps.push("shutdown");
      throw new Error("The shutdown has an error");
    });
    const fail = () => {
      const event = new ErrorEvent("error", { error: new Error("Uncaught"), cancelable: true });
      return dispatchEvent(event);
    };
    assertEquals([fail(), fail()], [false, false]); // the event is handled
    await until("the end", () => steps.length === 3);
    assertEquals(steps, ["end", "shutdown", 1]);
    unwatch();
    assertEquals(fail(), true);
  } finally {
    Object.assign(Deno, { exit });
  }
});
