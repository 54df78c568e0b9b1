import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { fileURLToPath } from "node:url";
import { proxyEvent } from "@mate/core/testing";
import { resolveApplication } from "../application/resolve.ts";
import { writeFiles } from "../archives/archive.ts";
import { bundleFunctions } from "../bundle/functions.ts";
import { startPlatform } from "../dev/platform.ts";
import { readManifest } from "../manifest/manifest.ts";
import { findNode } from "../programs/find_node.ts";
import { LOCAL, REGION } from "../rules/arn.ts";
import { mate } from "../testdata/command.ts";
import { QUIET } from "../testdata/platform.ts";
import { NODE_RUNTIMES } from "../testdata/sandbox.ts";
import { run, succeed, temporaryFolder } from "../../testdata/programs.ts";

/** Applications as others write them. No line names this project. */
const APPLICATIONS = fileURLToPath(new URL("../testdata/applications/", import.meta.url));

/** A request to a route, and the answer that the documentation of the application's library promises. */
interface Exchange {
  readonly request: readonly [method: string, path: string, body?: string];
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** The body: its JSON, or its text. */
  readonly body?: unknown;
  readonly answered?: Readonly<Record<string, string>>;
}

interface Application {
  /** Requests to the platform that `mate dev` starts. */
  readonly exchanges: readonly Exchange[];
  /** Invocations of a function: its event, and what its result has, or its error. */
  readonly invocations: readonly (readonly [
    name: string,
    event: object,
    result: Readonly<Record<string, unknown>> | RegExp,
  ])[];
}

const JSON_FIELDS = { "content-type": "application/json" };

/** Makes a token as RFC 7515 says, so that the package of the application is not held against itself. */
function tokenOf(claims: object, secret: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
}

const SECRET = "a-secret-of-thirty-two-characters";
const bearer = (claims: object, secret = SECRET) => ({
  authorization: `Bearer ${tokenOf(claims, secret)}`,
});
const ADA = { sub: "ada", scope: "read" };
const METHOD_ARN = "arn:aws:execute-api:us-east-1:000000000000:api/dev/GET/profile";

/** The event of a request to a function, as a REST API makes it. */
const eventOf = async (method: string, path: string, body?: string) => ({
  ...await proxyEvent(
    new Request(`https://example.com${path}`, {
      method,
      headers: JSON_FIELDS,
      ...body !== undefined && { body },
    }),
  ),
  ...body !== undefined && { body, isBase64Encoded: false },
});

const TABLE: Readonly<Record<string, Application>> = {
  express: {
    exchanges: [
      {
        request: ["POST", "/todos", '{"title":"Grüße"}'],
        headers: JSON_FIELDS,
        status: 201,
        body: { id: 1, title: "Grüße" },
        answered: { location: "/todos/1" },
      },
      { request: ["GET", "/todos?q=Gr%C3%BC"], status: 200, body: [{ id: 1, title: "Grüße" }] },
      { request: ["GET", "/todos?q=none"], status: 200, body: [] },
      { request: ["POST", "/todos", "{}"], headers: JSON_FIELDS, status: 422 },
      { request: ["POST", "/todos", "{"], headers: JSON_FIELDS, status: 500 },
      {
        request: ["GET", "/pixel.gif"],
        headers: { accept: "image/gif" },
        status: 200,
        body: Buffer.from("R0lGODlhAQABAAAAACw=", "base64").toString("utf8"),
        answered: { "content-type": "image/gif" },
      },
      { request: ["GET", "/failure"], status: 500, body: "out of order" },
      { request: ["GET", "/unknown"], status: 404 },
    ],
    invocations: [
      ["app", await eventOf("GET", "/todos?q=none"), { statusCode: 200, body: "[]" }],
    ],
  },
  middy: {
    exchanges: [
      {
        request: ["POST", "/orders", '{"item":"tea","count":2}'],
        headers: JSON_FIELDS,
        status: 201,
        body: { item: "tea", count: 2, path: "/orders" },
      },
      {
        request: ["POST", "/orders", '{"item":"tea","count":0}'],
        headers: JSON_FIELDS,
        status: 400,
        body: "count must be positive",
      },
      { request: ["POST", "/orders", "{"], headers: JSON_FIELDS, status: 422 },
      {
        request: ["POST", "/orders", "{}"],
        headers: { "content-type": "text/plain" },
        status: 415,
      },
    ],
    invocations: [
      ["orders", await eventOf("POST", "/orders", '{"count":1}'), { statusCode: 201 }],
      ["orders", await eventOf("POST", "/orders", "{"), { statusCode: 422 }],
    ],
  },
  powertools: {
    exchanges: [],
    invocations: [
      ["pay", { order: "o1", amount: 5, again: true }, { order: "o1", amount: 5, same: true }],
      ["pay", { order: "o2", amount: 0 }, /amount must be positive/],
    ],
  },
  raw: {
    exchanges: [
      {
        request: ["GET", "/notes/1"],
        status: 200,
        body: { note: "Buy bread", stage: "dev" },
        answered: { "access-control-allow-origin": "*" },
      },
      { request: ["GET", "/notes/2"], status: 404, body: { message: "Not found" } },
      { request: ["POST", "/notes", '{"note":"Tea"}'], status: 201, body: { note: "Tea" } },
      { request: ["POST", "/notes", "{"], status: 400, body: { message: "Malformed" } },
      {
        request: ["POST", "/notes", '{"fail":true}'],
        status: 502,
        body: { message: "Internal server error" },
      },
    ],
    invocations: [
      ["get", { pathParameters: { id: "2" } }, { statusCode: 404 }],
      ["create", { body: '{"fail":true}' }, /no space left/],
    ],
  },
  authorizer: {
    exchanges: [
      {
        request: ["GET", "/profile"],
        headers: bearer(ADA),
        status: 200,
        body: { user: "ada", scope: "read" },
      },
      { request: ["GET", "/profile"], headers: bearer({ sub: "bob" }), status: 403 },
      { request: ["GET", "/profile"], headers: bearer(ADA, "another secret"), status: 401 },
      { request: ["GET", "/profile"], headers: bearer({ ...ADA, exp: 1 }), status: 401 },
      { request: ["GET", "/profile"], headers: { authorization: "Basic YTpi" }, status: 401 },
      { request: ["GET", "/profile"], status: 401, body: { message: "Unauthorized" } },
    ],
    invocations: [
      [
        "authorize",
        { type: "TOKEN", authorizationToken: bearer(ADA).authorization, methodArn: METHOD_ARN },
        { principalId: "ada", context: { scope: "read" } },
      ],
      [
        "authorize",
        { type: "TOKEN", authorizationToken: "Bearer none", methodArn: METHOD_ARN },
        /Unauthorized/,
      ],
    ],
  },
  hono: {
    exchanges: [
      {
        request: ["PUT", "/books/1", '{"title":"Über"}'],
        status: 201,
        body: { id: "1", title: "Über" },
      },
      {
        request: ["GET", "/books/1"],
        headers: { origin: "https://shop.example" },
        status: 200,
        body: { id: "1", title: "Über" },
        answered: { "access-control-allow-origin": "*" },
      },
      { request: ["GET", "/books"], status: 200, body: [{ id: "1", title: "Über" }] },
      { request: ["GET", "/books/2"], status: 404, body: { error: "unknown book" } },
      { request: ["GET", "/none"], status: 404, body: "404 Not Found" },
    ],
    invocations: [
      ["books", await eventOf("PUT", "/books/2", '{"title":"Tea"}'), { statusCode: 201 }],
    ],
  },
};

/** Runs a bundle as AWS's client does: with its handler's promise, or the callback. */
const RUN_BUNDLE = `
  const [, folder, name, event] = process.argv;
  const { [name]: handler } = await import(folder + "/index.mjs");
  const fail = (error) => { console.error(error); process.exit(1); };
  const done = (value) => { console.log("result", JSON.stringify(value)); process.exit(); };
  const context = { functionName: name, awsRequestId: "1", getRemainingTimeInMillis: () => 9_000 };
  const result = handler(JSON.parse(event), context, (error, value) => error ? fail(error) : done(value));
  result?.then?.(done, fail);`;

/** The packages of all applications, which Deno takes from its cache. */
async function makeFolder(): Promise<string> {
  const folder = `${temporaryFolder()}/applications`;
  await succeed("cp", ["-r", APPLICATIONS, folder]);
  await succeed(Deno.execPath(), ["install", "--quiet", "--no-lock"], { cwd: folder });
  return folder;
}

const folder = NODE_RUNTIMES.length > 0 ? await makeFolder() : "";

/** The keys of the developer. */
const KEYS = { accessKeyId: "me", secretAccessKey: "local" };

const clientOf = (endpoint: string) =>
  new LambdaClient({ endpoint, region: REGION, credentials: KEYS, maxAttempts: 1, logger: QUIET });

/** Sends a request, and compares what the answer has with what is expected. */
async function exchange(base: string, { request, headers, status, body, answered }: Exchange) {
  const [method, path, content] = request;
  const response = await fetch(base + path, {
    method,
    ...headers && { headers },
    ...content !== undefined && { body: content },
  });
  const text = await response.text();
  const place = `${method} ${path} ${content ?? ""}: ${text}`;
  assertEquals(response.status, status, place);
  if (body !== undefined) assertEquals(typeof body === "string" ? text : JSON.parse(text), body);
  for (const [name, value] of Object.entries(answered ?? {})) {
    assertEquals(response.headers.get(name), value, place);
  }
}

function compare(result: unknown, expected: Readonly<Record<string, unknown>>) {
  const found = result as Record<string, unknown>;
  for (const [key, value] of Object.entries(expected)) assertEquals(found[key], value, key);
}

for (const [name, { exchanges, invocations }] of Object.entries(TABLE)) {
  const manifestPath = `${folder}/${name}/app.json`;
  const ignore = NODE_RUNTIMES.length === 0;

  Deno.test({
    ignore,
    name: `the application "${name}" answers as in mate dev, and its bundle on Node.js alone`,
    async fn() {
      for await (const { name: file } of Deno.readDir(`${folder}/${name}`)) {
        const text = await Deno.readTextFile(`${folder}/${name}/${file}`);
        assert(!/\bmate\b/i.test(text), file);
      }
      const application = resolveApplication(await readManifest(manifestPath), LOCAL);
      await using platform = await startPlatform(manifestPath);
      const base = platform.url + (application.gateway?.prefix ?? "");
      for (const one of exchanges) await exchange(base, one);

      const client = clientOf(platform.servicesUrl);
      for (const [functionName, event, expected] of invocations) {
        const command = new InvokeCommand({
          FunctionName: application.functions[functionName]!.name,
          Payload: JSON.stringify(event),
        });
        const { Payload, FunctionError } = await client.send(command);
        const text = Payload!.transformToString();
        const isFailure = expected instanceof RegExp;
        assertEquals(FunctionError !== undefined, isFailure, text);
        if (isFailure) assertMatch(text, expected);
        else compare(JSON.parse(text), expected);
      }
      client.destroy();

      const { functions, problems } = await bundleFunctions(manifestPath, application);
      assertEquals(problems, new Map());
      for (const [functionName, event, expected] of invocations) {
        const { runtime, environment, handler } = application.functions[functionName]!;
        assert(runtime !== "deno");
        const place = temporaryFolder();
        await writeFiles(place, functions.get(functionName)!);
        const { program } = await findNode(runtime);
        const args = [
          "--input-type=module",
          "-e",
          RUN_BUNDLE,
          place,
          handler.replace("index.", ""),
        ];
        const { stdout, stderr } = await run(program, [...args, JSON.stringify(event)], {
          cwd: place,
          clearEnv: true,
          env: {
            ...environment,
            AWS_ENDPOINT_URL: platform.servicesUrl,
            AWS_REGION: REGION,
            AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
            AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
          },
        });
        if (expected instanceof RegExp) {
          assertMatch(stderr, expected);
          continue;
        }
        const [, json] = /^result (.*)$/m.exec(stdout) ?? [];
        assert(json !== undefined, stdout + stderr);
        compare(JSON.parse(json), expected);
      }
    },
  });

  Deno.test({
    ignore,
    name: `mate invoke runs the application "${name}"`,
    async fn() {
      for (const [functionName, event, expected] of invocations) {
        const args = ["invoke", functionName, "app.json", "--event", JSON.stringify(event)];
        const { code, stdout, stderr } = await mate(args, { cwd: `${folder}/${name}` });
        const isFailure = expected instanceof RegExp;
        assertEquals(code, isFailure ? 1 : 0, stdout + stderr);
        if (isFailure) assertMatch(stdout + stderr, expected);
        else compare(JSON.parse(stdout), expected);
      }
    },
  });
}
