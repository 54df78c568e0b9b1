/**
 * Fuzzes the events, the headers and the client of the Runtime API for some time:
 * `deno task fuzz [seconds] [seed]`. A failure prints the seed and the smallest input that fast-check found.
 *
 * @module
 */
import fc from "fast-check";
import * as core from "../mod.ts";
import { run } from "../runtime/mod.ts";
import * as httpEvents from "../testdata/http_events.ts";
import * as serviceEvents from "../testdata/service_events.ts";

const { CloudEventSpecificationError, FnProxyEvent, FnRecord, HttpClientError } = core;
const { logger, proxyHandler } = core;

const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: "binary" }),
  fc.constantFrom("%", "%ff", "__proto__", "1e999", "2026-13-01T00:00:00Z", "=", "\0", "::1%eth0"),
  fc.string({ unit: fc.constantFrom(...'%+&=;,"\\ /:.-0aé\n'), maxLength: 40 }),
);

/** A real event in which some values are replaced. Each change is a path through the event and the new value. */
const events = fc.tuple(
  fc.constantFrom(...Object.values<object>({ ...httpEvents, ...serviceEvents })),
  fc.array(fc.tuple(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), junk), { maxLength: 4 }),
).map(([original, changes]) => {
  const event = structuredClone(original) as Record<string, unknown>;
  for (const [path, value] of changes) {
    let target = event;
    for (const [depth, index] of path.entries()) {
      const keys = Object.keys(target);
      const key = keys[index % keys.length];
      if (key === undefined) break;
      const next = target[key] as Record<string, unknown>;
      if (depth === path.length - 1 || typeof next !== "object" || next === null) {
        Object.defineProperty(target, key, { value, enumerable: true, configurable: true });
        break;
      }
      target = next;
    }
  }
  return event;
});

/** The arguments of the accessors that need one. */
const ARGUMENTS: Readonly<Record<string, string[]>> = {
  header: ["accept"],
  headerPreferences: ["accept"],
  headerSortedPreferences: ["accept"],
  queryValues: ["accept"],
  attributes: ["newImage"],
};

/** Calls every accessor of an event or a record; an accessor may throw only the documented errors. */
async function readAll(event: object): Promise<void> {
  const prototype = Object.getPrototypeOf(event);
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method = Object.getOwnPropertyDescriptor(prototype, name)!.value;
    if (name === "constructor" || typeof method !== "function") continue;
    try {
      const result = await method.call(event, ...ARGUMENTS[name] ?? []);
      if (!Array.isArray(result)) continue;
      for (const one of result) if (one instanceof FnRecord) await readAll(one);
    } catch (error) {
      if (error instanceof CloudEventSpecificationError || error instanceof HttpClientError) {
        continue;
      }
      throw new Error(`${event.constructor.name}.${name}() threw ${error}`, { cause: error });
    }
  }
}

/** The classes of events that the library has. */
const EVENTS = Object.entries(core)
  .filter(([name]) => /^Fn\w+Event$/.test(name))
  .map(([, Event]) => Event as new (raw: unknown) => object);

/** A header of weighted preferences, mostly of parts that have a meaning there. */
const header = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...'text/html|*/*|application/json|gzip|identity|*|br|de-CH|;|,|=|"|\\|q|q=0|q=0.5|q=1.0|;q=|é|\t| '
        .split("|"),
    ),
    fc.string({ maxLength: 5 }),
  ),
  { maxLength: 30 },
).map((parts) => parts.join(""));

const answer = proxyHandler(() => ({ text: "tea".repeat(500) }), {
  customTransformers: { "text/html": () => ["<p>tea</p>", "text/html; charset=utf-8"] },
});

const INVOCATION = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nLambda-Runtime-Aws-Request-Id: 1\r\n" +
  "Lambda-Runtime-Deadline-Ms: 1\r\n\r\n{}";

/** A valid HTTP response in which parts are cut out, doubled or replaced. */
const responses = fc.array(
  fc.tuple(
    fc.nat(INVOCATION.length),
    fc.nat(12),
    fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        "\r\n",
        "\0",
        "Content-Length: -1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "99999999999",
        "x".repeat(70_000),
      ),
    ),
  ),
  { maxLength: 4 },
).map((changes) => {
  let text = INVOCATION;
  for (const [at, length, value] of changes) {
    text = text.slice(0, at) + value + text.slice(at + length);
  }
  return text;
});

const [seconds = 60, seed = Date.now() | 0] = Deno.args.map(Number);
if (!(seconds > 0) || !Number.isInteger(seed)) {
  console.error("Invalid arguments: expected a number of seconds and a seed, such as 60 1234");
  Deno.exit(2);
}
logger.level = "OFF"; // the fuzzers cause thousands of errors

await fuzz(
  "the accessors of an event throw only documented errors and never change the event",
  fc.asyncProperty(events, async (event) => {
    const before = JSON.stringify(event);
    for (const Event of EVENTS) await readAll(new Event(event));
    if (JSON.stringify(event) !== before) throw new Error("The event was changed");
  }),
);

await fuzz(
  "every header gives ordered preferences and a response that a client can read",
  fc.asyncProperty(header, header, async (accept, coding) => {
    const raw = { headers: { accept, "accept-encoding": coding } };
    const weights = new FnProxyEvent(raw).headerPreferences("accept").map(({ quality }) => quality);
    if (weights.some((weight, index) => !(weight >= 0 && weight <= (weights[index - 1] ?? 1)))) {
      throw new Error(`The qualities are not in order: ${weights}`);
    }
    const { statusCode, headers, body, isBase64Encoded } = await answer(raw);
    if (statusCode !== 200 && statusCode !== 406) throw new Error(`The status is ${statusCode}`);
    if (isBase64Encoded !== (headers["Content-Encoding"] === "gzip")) {
      throw new Error("Only a gzipped body is base64 here");
    }
    if (!isBase64Encoded) return;
    const stream = new Blob([Uint8Array.fromBase64(body)]).stream();
    await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).text();
  }),
);

await fuzz(
  "run() soon ends with an error if the Runtime API hangs up after any bytes",
  fc.asyncProperty(responses, fc.integer({ min: 1, max: 40 }), async (text, size) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const api = `127.0.0.1:${listener.addr.port}`;
    const bytes = new TextEncoder().encode(text);
    const serving = (async () => {
      using connection = await listener.accept();
      listener.close();
      for (let at = 0; at < bytes.length; at += size * 97) {
        await connection.write(bytes.subarray(at, at + size * 97));
      }
    })().catch((error) => {
      // The client may hang up first.
      if (!/BrokenPipe|ConnectionReset/.test(error.name)) throw error;
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<string>((resolve) => timer = setTimeout(resolve, 5_000, "late"));
    const ended = run(() => "tea", { api }).catch((error) =>
      error instanceof Error ? "error" : "odd"
    );
    const outcome = await Promise.race([ended, late]);
    clearTimeout(timer);
    await serving;
    if (outcome !== "error") throw new Error(`The run is ${outcome}`);
  }),
);

/** Tries random inputs for a third of the time. */
async function fuzz<T>(name: string, property: fc.IAsyncProperty<T>): Promise<void> {
  await fc.assert(property, {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: seconds * 1_000 / 3,
    markInterruptAsFailure: false,
  });
  console.log(`With the seed ${seed}: ${name}`);
}
