import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import library from "../../deno.json" with { type: "json" };
import toolConfig from "../deno.json" with { type: "json" };
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { makeApp, serve } from "../testdata/bundle.ts";
import { mate, mateHere, ROOT, startMate } from "../testdata/command.ts";
import { TestHost } from "../testdata/platform.ts";
import { describe } from "./bundle.ts";
import { writeAddress } from "../dev/data_folder.ts";
import { startPlatform } from "../dev/platform.ts";
import { readManifest } from "../manifest/manifest.ts";
import { callAws } from "./aws.ts";

/** The imports of a new application, as files of the repository. */
function localImports(): Record<string, string> {
  const entries = Object.entries(library.exports)
    .map(([key, path]) => [key.replace(".", "@mate/core"), path] as const);
  return Object.fromEntries(
    [...entries, ["@std/assert", "scripts/offline/assert.ts"] as const]
      .map(([name, path]) => [name, new URL(path, `file://${ROOT}`).href]),
  );
}

Deno.test("mate new makes a formatted application whose test passes", async () => {
  const folder = temporaryFolder();
  const made = await mate(["new", "shop"], { cwd: folder });
  assertEquals([made.code, made.stderr], [0, ""]);
  assertMatch(made.stdout, /Wrote shop\/app\.json\n[^]*\nNext: cd shop && deno task dev\n$/);
  const cwd = `${folder}/shop`;
  await succeed(Deno.execPath(), ["fmt", "--check"], { cwd });
  const config = JSON.parse(await Deno.readTextFile(`${cwd}/deno.json`));
  assertEquals(Object.keys(config.tasks), ["dev", "test", "deploy", "undeploy"]);
  assertEquals(config.tasks.test, "deno test -A"); // as startPlatform() needs
  const { version } = toolConfig;
  assertEquals(config.imports["@mate/cli/platform"], `jsr:@mate/cli@^${version}/platform`);
  await Deno.writeTextFile(`${cwd}/deno.json`, JSON.stringify({ imports: localImports() }));
  const options = { cwd, env: { NO_COLOR: "1" } };
  assertStringIncludes(
    await succeed(Deno.execPath(), ["test", "--no-lock", "--no-check"], options),
    "1 passed",
  );
  const { functions, runtime } = await readManifest(`${cwd}/app.json`);
  assertEquals([functions.hello?.module, runtime], ["hello.ts", "deno"]);
  const again = await mateHere(["new", cwd]);
  assertEquals(again.code, 1);
});

Deno.test("mate new writes the runtime into the manifest, and makes a project for Node.js if it is one", async () => {
  const folder = temporaryFolder();
  for (
    const [runtime, types] of [["nodejs22.x", "^22"], ["nodejs26.x", "^26"], ["deno"]] as const
  ) {
    const cwd = `${folder}/${types}/store`;
    const { stdout } = await mateHere(["new", "--runtime", runtime, cwd]);
    const isNode = runtime !== "deno";
    const next = isNode ? "npm install && npm run dev" : "deno task dev";
    assertStringIncludes(stdout, `\nNext: cd ${cwd} && ${next}\n`);
    await succeed(Deno.execPath(), ["fmt", "--check"], { cwd });
    assertEquals(JSON.parse(await Deno.readTextFile(`${cwd}/app.json`)).runtime, runtime);
    assertEquals((await readManifest(`${cwd}/app.json`)).functions.hello?.runtime, runtime);
    const names = await Array.fromAsync(Deno.readDir(cwd), ({ name }) => name);
    const found = [names.includes("package.json"), names.includes("deno.json")];
    assertEquals(found, [isNode, !isNode]);
    if (!isNode) continue;
    const { devDependencies } = JSON.parse(await Deno.readTextFile(`${cwd}/package.json`));
    assertStringIncludes(devDependencies["@types/node"], types);
  }
  const { code, stderr } = await mateHere(["new", "--runtime", "nodejs20.x", `${folder}/none`]);
  const problem =
    'Unknown runtime "nodejs20.x": expected one of deno, nodejs22.x, nodejs24.x, nodejs26.x';
  assertEquals([code, stderr], [2, `Error: ${problem}\n`]);
});

Deno.test("mate invoke prints the result, and fails if the function fails", async () => {
  await using app = await makeApp({
    "one.ts": `// A comment that the bundler drops.
    export const handler = ({ a }: { a: number }) => {
      console.log("called with", a);
      if (a < 0) throw new RangeError("negative");
      return a + 1;
    };`,
  }, { one: { module: "one.ts" } });
  const success = await mate(["invoke", "one", app.manifest, "--event", '{"a":1}']);
  assertEquals([success.code, success.stdout], [0, "2\n"]);
  assertMatch(success.stderr, / one .*called with 1\n/);
  const event = '{"a":-1}';
  const failure = await mateHere(["invoke", "one", app.manifest, "--event", event, "--json"]);
  assertEquals([failure.code, failure.stderr], [1, ""]);
  const { isError, result, log } = JSON.parse(failure.stdout);
  assertEquals([isError, result.errorType], [true, "RangeError"]);
  assertMatch(result.stackTrace[0], /\bone\.ts:4:\d+/);
  assertStringIncludes(log, "negative");
});

Deno.test("mate invoke says which event a function that failed without one expects", async () => {
  const module = "one.ts";
  await using app = await makeApp({}, {
    one: { module, triggers: { queues: [{ name: "jobs" }] } },
    clock: { module, triggers: { schedules: ["rate(1 minute)"] } },
    plain: { module },
  }, { queues: { jobs: {} } });
  const host = new TestHost(({ name, event }) => ({
    failure: name === "clock" || "Records" in event ? undefined : "error",
  }));
  const data = `${app.folder}/data`;
  await using platform = await startPlatform(app.manifest, { data, host });
  await writeAddress(data, `${platform.controlUrl}/`);
  const hint = 'expects an event of a queue, and got "{}": pass one with --event. queueEvent() of ';
  for (
    const [name, code, isHinted, ...args] of [
      ["one", 1, true],
      ["one", 0, false, "--event", '{"Records":[]}'],
      ["plain", 1, false],
      ["clock", 0, false],
    ] as const
  ) {
    const ended = await mateHere(["invoke", name, app.manifest, "--data", data, ...args]);
    const hints = [ended.stderr.includes(hint), ended.stderr.includes("expects")];
    assertEquals([name, ended.code, ...hints], [name, code, isHinted, isHinted]);
  }
});

Deno.test("mate invoke --stage has the overrides of the stage, and refuses another stage", async () => {
  await using app = await makeApp(
    {
      "one.ts": "export const handler = () => Deno.env.get('LEVEL');",
    },
    { one: { module: "one.ts", environment: { LEVEL: "low" } } },
    {
      stages: { prod: { functions: { one: { environment: { LEVEL: "high" } } } } },
    },
  );
  const invoke = (...args: string[]) => mateHere(["invoke", "one", app.manifest, ...args]);
  assertEquals((await invoke("--stage", "prod")).stdout, '"high"\n');
  const { code, stderr } = await invoke("--stage", "prdo");
  const problem = `it has no stage "prdo": did you mean "prod"?`;
  assertEquals([code, stderr], [
    2,
    `Error: Cannot use the manifest "${app.manifest}": ${problem}\n`,
  ]);
});

Deno.test("mate invoke says once why the local platform cannot invoke a function", async () => {
  await using app = await makeApp({ "one.ts": "export const handler = (" }, {
    one: { module: "one.ts" },
  });
  const { code, stderr } = await mateHere(["invoke", "one", app.manifest]);
  assertEquals(code, 1);
  assertMatch(stderr, /^Error: Cannot invoke "one": Unexpected end of file/m);
});

/** Credentials that work nowhere, and an endpoint for a service. */
const awsEnvironment = (service: string, url: string) => ({
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_REGION: "eu-west-1",
  [`AWS_ENDPOINT_URL_${service}`]: url,
});

Deno.test({
  name: "mate invoke ends with the function when it is interrupted",
  ignore: Deno.build.os === "windows", // has no signals
  async fn() {
    await using app = await makeApp({
      "one.ts": "export const handler = () => new Promise((end) => setTimeout(end, 60_000));",
    }, { one: { module: "one.ts", timeout: 60 } });
    await using child = startMate(["invoke", "one", app.manifest]);
    let errors = "";
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      if (!errors.includes("START") && (errors += text).includes("START")) child.kill("SIGINT");
    }
    const { code } = await child.status;
    assertEquals([code, await new Response(child.stdout).text()], [130, ""]);
  },
});

Deno.test("mate invoke --deployed invokes the deployed function", async () => {
  await using app = await makeApp({}, { one: { module: "one.ts", triggers: { url: {} } } });
  const paths: string[] = [];
  await using lambda = serve((request) => {
    paths.push(new URL(request.url).pathname);
    return new Response('{"done":true}', {
      headers: { "x-amz-log-result": btoa("START\nERROR\r    at x\nEND\n") },
    });
  });
  const env = awsEnvironment("LAMBDA", lambda.url);
  const { code, stdout, stderr } = await mate(["invoke", "one", app.manifest, "--deployed"], {
    env,
  });
  assertEquals([code, stdout], [0, '{"done":true}\n']);
  assertMatch(
    stderr,
    /^START\nERROR\n {4}at x\nEND\n"one" expects an event of an HTTP request, and got "{}": /,
  );
  assertEquals(paths, ["/2015-03-31/functions/test-one/invocations"]);
});

Deno.test("mate invoke --deployed prints no control character of the result or the log", async () => {
  await using app = await makeApp({}, { one: { module: "one.ts" } });
  const log = new TextEncoder().encode("START\n\x1b[2J\x9b2J\rEND\n").toBase64();
  await using lambda = serve(() =>
    new Response('"\x9b2J€"', { headers: { "x-amz-log-result": log } })
  );
  const env = awsEnvironment("LAMBDA", lambda.url);
  const args = ["invoke", "one", app.manifest, "--deployed"];
  const plain = await mate(args, { env });
  assertEquals([plain.stdout, plain.stderr], ['"\\u009b2J€"\n', "START\n␛[2J␡2J␍END\n"]);
  const json = await mate([...args, "--json"], { env });
  assertEquals(/(?!\n)\p{Cc}/u.exec(json.stdout), null);
  assertEquals(JSON.parse(json.stdout), {
    isError: false,
    result: "\x9b2J€",
    log: "START\n\x1b[2J\x9b2J\rEND\n",
  });
});

Deno.test("mate deploy reports at once a wrong manifest, then a missing region or login", async () => {
  await using app = await makeApp({}, { one: { module: "one.ts" } });
  const region = /^Error: The region is missing: set "region" in the manifest, or AWS_REGION\n$/;
  const login = /^Error: The login is missing: log in first, such as with "aws sso login" or /;
  const names = ["ACCESS_KEY_ID", "PROFILE", "REGION", "DEFAULT_REGION", "WEB_IDENTITY_TOKEN_FILE"];
  const nothing = Object.fromEntries(names.map((name) => [`AWS_${name}`, ""]));
  const none = /^Error: Cannot read the manifest "none\.json"/;
  for (
    const [manifest, variables, message] of [
      ["none.json", {}, none],
      [app.manifest, {}, region],
      [app.manifest, { AWS_REGION: "eu-west-1" }, login],
    ] as const
  ) {
    const env = { ...nothing, AWS_CONFIG_FILE: "none", AWS_SHARED_CREDENTIALS_FILE: "none" };
    const { code, stderr } = await mateHere(["deploy", manifest, "--plan"], {
      ...env,
      ...variables,
    });
    assertEquals(code, 1);
    assertMatch(stderr, message);
  }
});

Deno.test({
  name:
    "mate undeploy --plan only lists the resources, and --delete-data includes the objects and secrets",
  ignore: Deno.build.os === "windows", // the Terraform of this test is a script
  async fn() {
    const bucket = { mode: "managed", type: "aws_s3_bucket", name: "bucket" };
    const claim = { mode: "managed", type: "aws_cloudwatch_log_group", name: "application" };
    const arn = "arn:aws:logs:eu-west-1:123456789012:log-group:/mate/test";
    const state = {
      resources: [
        { ...bucket, instances: [{ attributes: { bucket: "files" } }] },
        { ...claim, instances: [{ attributes: { name: "/mate/test", arn } }] },
      ],
    };
    const script = `#!/bin/sh
case $1 in
  --version) echo Terraform v1.11.4 ;;
  state) echo '${JSON.stringify(state)}' ;;
  apply) echo applied >&2 && exit 1 ;;
esac`;
    await using app = await makeApp({}, { one: { module: "one.ts", secrets: ["KEY"] } });
    const asked: string[] = [];
    await using server = serve(async (request) => {
      const { ParameterFilters } = await request.json();
      asked.push(request.headers.get("x-amz-target")!, ParameterFilters[0].Values[0]);
      return Response.json({ Parameters: [{ Name: "/test/v0/KEY", LastModifiedDate: 1 }] });
    });
    const programs = temporaryFolder();
    await Deno.writeTextFile(`${programs}/terraform`, script, { mode: 0o755 });
    const PATH = `${programs}:${Deno.env.get("PATH")}`;
    const env = { ...awsEnvironment("SSM", server.url), PATH };
    for (
      const [args, contents] of [
        [[], "except buckets that hold objects, tables and secrets"],
        [
          ["--delete-data"],
          "with all objects in the buckets, all items in the tables and all secrets",
        ],
      ] as const
    ) {
      const result = await mate(["undeploy", app.manifest, "--plan", ...args], { env });
      assertEquals([result.code, result.stderr], [0, ""]);
      const deletesAll = args.length > 0;
      const [, deleted] = result.stdout.split("Deletes, ");
      assertEquals(deleted!.split("\n"), [
        `${contents}:`,
        "  deletes bucket files (aws_s3_bucket.bucket)",
        "  deletes log group /mate/test (aws_cloudwatch_log_group.application)",
        ...deletesAll ? ["  deletes secret /test/v0/KEY"] : [],
        "",
      ]);
      assertEquals(asked.splice(0), deletesAll ? ["AmazonSSM.DescribeParameters", "/test/v0"] : []);
      const module = await Deno.readTextFile(`${app.folder}/.mate/deploy/app/main.tf.json`);
      const ignored = await Deno.readTextFile(`${app.folder}/.mate/deploy/app/.gitignore`);
      assertEquals(ignored, "*\n");
      const { delete_data } = JSON.parse(module).module.application;
      assertEquals(delete_data, deletesAll);
    }
  },
});

Deno.test({
  name: "mate deploy --plan does not move the state",
  ignore: Deno.build.os === "windows", // the Terraform of this test is a script
  async fn() {
    const group = { mode: "managed", type: "aws_cloudwatch_log_group", name: "application" };
    const state = { resources: [{ ...group, instances: [{ attributes: {} }] }] };
    const script = `#!/bin/sh
case $1 in
  --version) echo Terraform v1.11.4 ;;
  state) echo '${JSON.stringify(state)}' ;;
  *) echo "$1" >&2 && exit 1 ;;
esac`;
    await using app = await makeApp(
      { ".mate/deploy/app/.terraform/terraform.tfstate": '{"backend":{"type":"local"}}' },
      { one: { module: "one.ts" } },
      { state: "s3://states/test" },
    );
    const programs = temporaryFolder();
    await Deno.writeTextFile(`${programs}/terraform`, script, { mode: 0o755 });
    const PATH = `${programs}:${Deno.env.get("PATH")}`;
    const env = { ...awsEnvironment("S3", "http://127.0.0.1:1"), PATH };
    const { code, stderr } = await mate(["deploy", app.manifest, "--plan", "--yes"], { env });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^Error: Cannot show the plan of "test": its state is in the folder .*\/app, and "state" names s3:\/\/states\/test; run "mate deploy" to move it first\n$/,
    );
  },
});

Deno.test("mate logs prints every page of the records of all functions, sorted by time", async () => {
  await using app = await makeApp({}, { one: { module: "one.ts" }, two: { module: "two.ts" } });
  const event = (timestamp: number, message: string) => ({ eventId: message, timestamp, message });
  const pages: Record<string, unknown> = {
    "/aws/lambda/test-one": { events: [event(3_000, "third\n")], nextToken: "more" },
    "/aws/lambda/test-onemore": { events: [event(1_000, "first")] },
    "/aws/lambda/test-two": { events: [event(2_000, "ERROR \x1b[2J\x9bsecond")] },
  };
  await using server = serve(async (request) => {
    const { logGroupName, nextToken = "", startTime } = await request.json();
    assertEquals(Math.abs(Date.now() - 7_200_000 - startTime) < 60_000, true);
    return Response.json(pages[logGroupName + nextToken]);
  });
  const env = awsEnvironment("CLOUDWATCH_LOGS", server.url);
  const args = ["logs", app.manifest, "--since", "2h"];
  const { code, stdout, stderr } = await mate([...args, "--json"], { env });
  assertEquals([code, stderr], [0, ""]);
  assertEquals(/(?!\n)\p{Cc}/u.exec(stdout), null);
  assertEquals(stdout.trim().split("\n").map((line) => JSON.parse(line)), [
    { time: "1970-01-01T00:00:01.000Z", function: "one", text: "first" },
    { time: "1970-01-01T00:00:02.000Z", function: "two", text: "ERROR \x1b[2J\x9bsecond" },
    { time: "1970-01-01T00:00:03.000Z", function: "one", text: "third" },
  ]);
  const two = await mate([...args, "--function", "two"], { env });
  assertMatch(two.stdout, /^\S+ two +ERROR ␛\[2J␡second\n$/);
});

Deno.test("mate logs takes the credentials of a profile's credential_process", async () => {
  await using app = await makeApp({
    "config": `[default]\ncredential_process = echo '${
      JSON.stringify({ Version: 1, AccessKeyId: "PROCESS", SecretAccessKey: "secret" })
    }'\n`,
  }, { one: { module: "one.ts" } });
  let authorization: string | null = "";
  await using server = serve(({ headers }) => {
    authorization = headers.get("authorization");
    return Response.json({ events: [] });
  });
  const { code, stderr } = await mate(["logs", app.manifest], {
    env: {
      ...awsEnvironment("CLOUDWATCH_LOGS", server.url),
      AWS_ACCESS_KEY_ID: "",
      AWS_SECRET_ACCESS_KEY: "",
      AWS_CONFIG_FILE: `${app.folder}/config`,
      AWS_SHARED_CREDENTIALS_FILE: `${app.folder}/credentials`,
    },
  });
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(authorization!, "Credential=PROCESS/");
});

Deno.test({
  name: "mate logs --follow prints each new record once, until Ctrl-C",
  ignore: Deno.build.os === "windows", // has no signals
  async fn() {
    await using app = await makeApp({}, { one: { module: "one.ts" } });
    const event = (message: string) => ({ eventId: message, timestamp: Date.now(), message });
    const events = [event("first")];
    await using server = serve(() => Response.json({ events }));
    await using child = startMate(["logs", app.manifest, "--follow"], {
      env: awsEnvironment("CLOUDWATCH_LOGS", server.url),
    });
    let output = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += text;
      if (/first\n$/.test(output)) events.push(event("second"));
      if (/second\n$/.test(output)) child.kill("SIGINT");
    }
    const { code } = await child.status;
    const errors = await new Response(child.stderr).text();
    assertEquals([code, errors], [0, ""]);
    assertMatch(output, /^\S+ one +first\n\S+ one +second\n$/);
  },
});

Deno.test("mate logs explains why it cannot reach AWS", async () => {
  await using app = await makeApp({}, { one: { module: "one.ts" } });
  const { code, stderr } = await mate(["logs", app.manifest], {
    env: {
      ...awsEnvironment("CLOUDWATCH_LOGS", "https://localhost:1"),
      NODE_EXTRA_CA_CERTS: Deno.env.get("NODE_EXTRA_CA_CERTS") ?? "/dev/null", // the permissions allow it
    },
  });
  assertEquals(code, 1);
  assertMatch(
    stderr,
    /^Error: Cannot read the log of "test-one": .*connect ECONNREFUSED .* \(check the network and the region\)\n$/,
  );
});

Deno.test("callAws() explains why AWS refuses", async () => {
  for (
    const [name, remedy] of [
      ["ResourceNotFoundException", "it is not deployed, or in another region: run mate deploy"],
      [
        "ExpiredTokenException",
        'ExpiredTokenException: Too old (log in again, such as with "aws sso login" or AWS_PROFILE)',
      ],
      ["OtherException", "Too old"],
    ] as const
  ) {
    const call = () => Promise.reject(Object.assign(new Error("Too old"), { name }));
    const { message } = await assertRejects(() => callAws("Cannot call", call), Error);
    assertEquals(message, `Cannot call: ${remedy}`);
  }
});

Deno.test("mate openapi prints the document, or writes it to a file", async () => {
  const module = `export const api = { "GET /": { responses: { 204: "Done\u202e" } } };`;
  const routes = [{ method: "GET", path: "/", authorizer: "check" }, { method: "PUT", path: "/" }];
  const functions = {
    one: { module: "one.ts", triggers: { routes } },
    check: { module: "check.ts" },
  };
  const domain = {
    name: "shop.example",
    certificate: "arn:aws:acm:eu-west-1:123456789012:certificate/a",
  };
  const stages = { prod: { settings: { domain } } };
  const schemes = '{ "check": { "type": "http", "scheme": "bearer" } }';
  const files = { "api.ts": module, "schemes.json": schemes, "list.json": '{ "check": [] }' };
  await using app = await makeApp(files, functions, { api: "api.ts", stages });
  const run = (...args: string[]) => mateHere(["openapi", app.manifest, ...args]);
  const at = (file: string) => `${app.folder}/${file}`;

  const printed = await mate(["openapi"], { cwd: app.folder });
  const warning = 'Warning: The route "PUT /" of the manifest has no description in "api.ts"\n';
  assertEquals([printed.code, printed.stderr], [0, warning]);
  assertStringIncludes(printed.stdout, '"Done\\u202e"');
  const { info, servers, components } = JSON.parse(printed.stdout);
  assertEquals([info, servers], [{ title: "test", version: "0.0.0" }, undefined]);
  assertEquals(components.securitySchemes.check.type, "apiKey");

  const url = "https://api.example/v0";
  const written = await run("--url", url, "--security", at("schemes.json"), "--out", at("a.json"));
  assertEquals([written.code, written.stdout], [0, ""]);
  const text = await Deno.readTextFile(`${app.folder}/a.json`);
  assertEquals(text.endsWith("\n}\n"), true);
  const document = JSON.parse(text);
  assertEquals(document.servers, [{ url }]);
  assertEquals(document.components.securitySchemes, JSON.parse(schemes));

  const prod = await run("--stage", "prod", "--url", url);
  assertEquals(JSON.parse(prod.stdout).servers, [{ url: "https://shop.example" }]);
  assertStringIncludes(
    prod.stderr,
    'Warning: "--url" is not used, because the manifest has the domain of https://shop.example\n',
  );

  for (
    const [args, code, message] of [
      [["--url", "/v0"], 2, 'Invalid --url "/v0": expected a URL such as https://api.example/v1'],
      [["--url", "file:///v0"], 2, 'Invalid --url "file:///v0": expected a URL such as https:'],
      [
        ["--security", at("no.json")],
        1,
        `Cannot read the security schemes "${at("no.json")}": No `,
      ],
      [["--security", at("api.ts")], 1, 'api.ts": Unexpected token'],
      [["--security", at("list.json")], 1, 'expected an object such as { "check": '],
      [["--out", at("no/a.json")], 1, `Cannot write the document to "${at("no/a.json")}": No `],
    ] as const
  ) {
    const ended = await run(...args);
    assertEquals([ended.code, ended.stdout], [code, ""], args.join(" "));
    assertStringIncludes(ended.stderr, message);
  }
  await using none = await makeApp({}, { one: { module: "one.ts" } });
  const { code, stderr } = await mateHere(["openapi", none.manifest]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, 'name the module of its description in the key "api"');
});

Deno.test("mate bundle lists the sizes, and with --analyze the parts of every zip", async () => {
  const archives = [{
    name: 'the function "one"',
    path: "dist/one.zip",
    zipped: 2_048,
    unzipped: 5_000,
    contents: {
      files: [{ name: "index.mjs", size: 4_096 }],
      sources: [{ name: "npm:a@1.0.0", size: 4_000 }, { name: "one.ts", size: 96 }],
    },
  }];
  const table = `  dist/one.zip  2.0 kB zipped, 4.9 kB unzipped
  at most       50.0 MB zipped, 250.0 MB with the layer`;
  assertEquals(await describe(archives, false), table);
  assertEquals(
    await describe(archives, true),
    `${table}

dist/one.zip:
    4.0 kB  index.mjs
index.mjs comes from:
    3.9 kB  npm:a@1.0.0
      96 B  one.ts`,
  );
});
