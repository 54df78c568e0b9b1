import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { createHash, createHmac } from "node:crypto";
import { temporaryFolder } from "../../testdata/programs.ts";
import { serve } from "../testdata/bundle.ts";
import { TestHost } from "../testdata/platform.ts";
import { findLogin } from "./forwarding.ts";
import { type PlatformOptions, startPlatform } from "./platform.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "AKIADEVELOPER", AWS_SECRET_ACCESS_KEY: "developer/secret" };

/** Each service: the package of its client, an operation with its input, the host, and the name in its signature. */
const SERVICES: readonly [
  name: string,
  operation: string,
  input: object,
  host: string,
  signed: string,
][] = [
  ["sesv2", "SendEmail", { Content: { Simple: { Subject: { Data: "ü" } } } }, "email", "ses"],
  ["ses", "ListIdentities", {}, "email", "ses"],
  ["ssm", "GetParameter", { Name: "/a" }, "ssm", "ssm"],
  ["secrets-manager", "GetSecretValue", { SecretId: "a" }, "secretsmanager", "secretsmanager"],
  ["sfn", "StartExecution", { stateMachineArn: "a" }, "states", "states"],
  ["sfn", "StartSyncExecution", { stateMachineArn: "a" }, "sync-states", "states"],
  [
    "servicediscovery",
    "DiscoverInstances",
    { NamespaceName: "a", ServiceName: "b" },
    "data-servicediscovery",
    "servicediscovery",
  ],
  [
    "cognito-identity-provider",
    "AdminGetUser",
    { UserPoolId: "a", Username: "b" },
    "cognito-idp",
    "cognito-idp",
  ],
  ["kms", "Encrypt", { KeyId: "a", Plaintext: new Uint8Array([1]) }, "kms", "kms"],
  ["sts", "GetCallerIdentity", {}, "sts", "sts"],
  [
    "rekognition",
    "DetectLabels",
    { Image: { Bytes: new Uint8Array(99_999) } },
    "rekognition",
    "rekognition",
  ],
  ["textract", "DetectDocumentText", { Document: {} }, "textract", "textract"],
  [
    "translate",
    "TranslateText",
    { Text: "a", SourceLanguageCode: "en", TargetLanguageCode: "de" },
    "translate",
    "translate",
  ],
  [
    "polly",
    "DescribeVoices",
    { LanguageCode: "de-DE", IncludeAdditionalLanguageCodes: true },
    "polly",
    "polly",
  ],
  ["comprehend", "DetectSentiment", { Text: "a", LanguageCode: "en" }, "comprehend", "comprehend"],
  [
    "kinesis",
    "PutRecord",
    { StreamName: "a", Data: new Uint8Array(1), PartitionKey: "a" },
    "kinesis",
    "kinesis",
  ],
  [
    "firehose",
    "PutRecord",
    { DeliveryStreamName: "a", Record: { Data: new Uint8Array(1) } },
    "firehose",
    "firehose",
  ],
  [
    "bedrock-runtime",
    "InvokeModel",
    { modelId: "a:b/c d", body: "{}" },
    "bedrock-runtime",
    "bedrock",
  ],
  ["cloudwatch-logs", "DescribeLogGroups", {}, "logs", "logs"],
  ["route-53", "ListHostedZones", { Marker: "a b&c'(*)" }, "route53", "route53"],
  ["ecr", "DescribeRepositories", {}, "api.ecr", "ecr"],
  [
    "iot-data-plane",
    "Publish",
    { topic: "a/b c", qos: 1, payload: "x" },
    "data-ats.iot",
    "iotdata",
  ],
  [
    "appconfigdata",
    "StartConfigurationSession",
    { ApplicationIdentifier: "a", EnvironmentIdentifier: "b", ConfigurationProfileIdentifier: "c" },
    "appconfigdata",
    "appconfig",
  ],
];

const HOSTS = SERVICES.map(([, , , host]) =>
  host === "route53" ? "route53.amazonaws.com" : `${host}.\${region}.amazonaws.com:443`
);

function manifestOf(net: readonly string[] = HOSTS) {
  return manifestWith({ permissions: { net } });
}

function manifestWith(settings: object) {
  const functions = { f: { module: "f.ts", ...settings } };
  return JSON.stringify({ name: "app", stage: "v0", functions });
}

/** What the endpoint has got. */
interface Seen {
  readonly host: string;
  readonly credential: string;
  readonly isValid: boolean;
}

/** Starts a platform whose calls to AWS go to a local endpoint that verifies signatures. */
async function startWith(
  values: object,
  net: readonly string[] | object = HOSTS,
  options: PlatformOptions = {},
) {
  await using stack = new AsyncDisposableStack();
  const seen: Seen[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    seen.push(await verify(request));
    const headers = { "x-amzn-requestid": "from-aws" };
    const isXml = /email|sts|route53/.test(request.headers.get("x-real-host")!);
    return new Response(isXml ? "<A><B/></A>" : "{}", { headers });
  });
  stack.defer(() => server.shutdown());
  const real = globalThis.fetch;
  stack.defer(() => void (globalThis.fetch = real));
  globalThis.fetch = (input, init) => {
    const url = new URL(input as string);
    if (!url.hostname.endsWith(".amazonaws.com")) return real(input, init);
    assertEquals(url.protocol, "https:");
    const headers = new Headers(init?.headers);
    headers.set("x-real-host", url.host);
    const path = (input as string).slice(url.origin.length);
    return real(`http://127.0.0.1:${server.addr.port}${path}`, { ...init, headers });
  };
  const folder = temporaryFolder();
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  await Deno.writeTextFile(`${folder}/.env`, lines.join(""));
  const manifest = Array.isArray(net) ? manifestOf(net) : manifestWith(net);
  await Deno.writeTextFile(`${folder}/app.json`, manifest);
  let environment: Readonly<Record<string, string>> = {};
  const platform = stack.use(
    await startPlatform(`${folder}/app.json`, {
      ...options,
      host(manifest) {
        environment = manifest.functions.f!.environment;
        return Promise.resolve(new TestHost(() => "{}"));
      },
    }),
  );
  /** Calls a service as the function does. Returns the identifier of the answer, or the message of the error. */
  const call = async (
    [name, operation, input]: typeof SERVICES[number],
    key?: string,
    label?: string,
  ) => {
    const module = await import(`npm:@aws-sdk/client-${name}@^3.1000.0`);
    const constructor = Object.keys(module).find((one) => /^[A-Z].*Client$/.test(one))!;
    const id = module[constructor].prototype.constructor && name;
    const variable = `AWS_ENDPOINT_URL_${ID[id] ?? id.replaceAll("-", "_").toUpperCase()}`;
    const client = new module[constructor]({
      endpoint: label !== undefined
        ? `${environment.AWS_ENDPOINT_URL}/.aws/${label}`
        : environment[variable] ?? environment.AWS_ENDPOINT_URL,
      region: "us-east-1",
      maxAttempts: 1,
      disableHostPrefix: true, // as docs/triggers.md says
      credentials: {
        accessKeyId: key ?? environment.AWS_ACCESS_KEY_ID,
        secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
        sessionToken: environment.AWS_SESSION_TOKEN,
      },
    });
    try {
      return (await client.send(new module[`${operation}Command`](input))).$metadata.requestId;
    } catch (error) {
      return (error as Error).message;
    } finally {
      client.destroy();
    }
  };
  const owned = stack.move();
  return {
    seen,
    environment,
    call,
    platform,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The identifiers of the services in variables, as the developer guide of the AWS SDKs lists them, if the package has another name. */
const ID: Readonly<Record<string, string>> = { "sfn": "SFN", "iot-data-plane": "IOT_DATA_PLANE" };

/** Verifies AWS Signature Version 4, as its specification says, without a library. */
async function verify(request: Request): Promise<Seen> {
  const { headers, method, url } = request;
  const host = headers.get("x-real-host")!;
  const body = new Uint8Array(await request.arrayBuffer());
  const hash = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
  const mac = (key: string | Uint8Array, text: string) =>
    createHmac("sha256", key).update(text).digest();
  const [, key = "", scope = "", names = "", signature] =
    /Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/
      .exec(headers.get("authorization") ?? "") ?? [];
  const [path, query = ""] = url.slice(new URL(url).origin.length).split("?");
  const canonical = [
    method,
    path!.split("/").map((part) =>
      encodeURIComponent(part).replaceAll(
        /[!'()*]/g,
        (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
      )
    ).join("/"),
    query.split("&").toSorted().join("&"),
    ...names.split(";").map((name) =>
      `${name}:${name === "host" ? host : headers.get(name)!.trim()}`
    ),
    "",
    names,
    hash(body),
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, hash(canonical)].join("\n");
  const secret = scope.split("/").reduce<string | Uint8Array>(
    (last, part) => mac(last, part),
    `AWS4${KEYS.AWS_SECRET_ACCESS_KEY}`,
  );
  const isValid = mac(secret, text).toString("hex") === signature;
  return { host, credential: `${key}/${scope.split("/").slice(1).join("/")}`, isValid };
}

Deno.test("a granted service is called with the developer's keys, through the clients of the SDK", async () => {
  await using test = await startWith({ ...KEYS, AWS_REGION: "eu-central-1" });
  for (const service of SERVICES) {
    const [name, , , label, signed] = service;
    test.seen.length = 0;
    const answer = await test.call(service);
    const isGlobal = label === "route53";
    const region = isGlobal ? "us-east-1" : "eu-central-1";
    assertEquals(test.seen, [{
      host: isGlobal ? "route53.amazonaws.com" : `${label}.${region}.amazonaws.com`,
      credential: `AKIADEVELOPER/${region}/${signed}/aws4_request`,
      isValid: true,
    }], `${name}: ${answer} ${test.platform.log.after(0).map(({ text }) => text)}`);
    if (!/email|sts|route53/.test(label)) assertEquals(answer, "from-aws", name);
  }
  const shown = JSON.stringify(test.environment) + JSON.stringify(test.platform.log.after(0));
  for (const secret of Object.values(KEYS)) assertEquals(shown.includes(secret), false);
});

Deno.test("a service is not called without a grant, a login or a key of a function", async () => {
  const [sesv2, , ssm] = SERVICES;
  const sync = SERVICES.find(([, operation]) => operation === "StartSyncExecution");
  await using granted = await startWith({}, HOSTS);
  assertMatch(
    await granted.call(ssm!),
    /"ssm" is not emulated.*ssm\.us-east-1\.amazonaws\.com.*--profile NAME.*\.env/,
  );
  await using refused = await startWith(KEYS, [
    "ssm.eu-west-1.amazonaws.com.evil.example:443",
    "example.com",
  ]);
  assertMatch(
    await refused.call(ssm!),
    /"ssm" is not emulated.*name its host in permissions\.net, such as "ssm\.\$\{region\}\.amazonaws\.com:443"/,
  );
  assertMatch(await refused.call(sesv2!), /name its host in permissions.net, such as "email\./);
  assertStringIncludes(await granted.call(ssm!, "LOCALUNKNOWN"), "unknown access key");
  await using partly = await startWith(KEYS, ["states.${region}.amazonaws.com:443"]);
  assertMatch(await partly.call(sync!), /such as "sync-states\.\$\{region\}\.amazonaws\.com:443"/);
  await using emulated = await startWith(KEYS, ["*"]);
  assertEquals(await emulated.call(ssm!), "from-aws");
  const real = await emulated.call(["dynamodb", "ListTables", {}, "dynamodb", "dynamodb"]);
  const scope = "developer/20260101/us-east-1/ssm/aws4_request";
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
  const { servicesUrl } = emulated.platform;
  const stranger = await fetch(servicesUrl, { method: "POST", headers: { authorization } });
  assertStringIncludes(await stranger.text(), "leave out the endpoint");
  assertEquals(emulated.seen.map(({ host }) => host), ["ssm.us-east-1.amazonaws.com"], real);
});

Deno.test("a function on Node.js may call a service that its statements name", async () => {
  const statements = [{ Effect: "Allow", Action: ["ses:SendEmail"], Resource: "*" }];
  await using test = await startWith(KEYS, { runtime: "nodejs24.x", statements });
  const [sesv2, , ssm] = SERVICES;
  await test.call(sesv2!);
  assertMatch(await test.call(ssm!), /"ssm" is not emulated.*name it in a statement/);
  assertEquals(test.seen.map(({ host }) => host), ["email.us-east-1.amazonaws.com"]);
});

Deno.test("a request reaches only the hosts of the service that signs it, and those that the manifest names", async () => {
  const statements = [{ Effect: "Allow", Action: ["ses:SendEmail"], Resource: "*" }];
  const [sesv2] = SERVICES;
  const labels = [
    "attacker.execute-api",
    "attacker",
    "ssm",
    "evil.email",
    "email.evil",
    "EMAIL",
    "x",
  ]
    .concat("__proto__", "email%2f", "s3", "attacker.lambda-url", "");
  for (
    const settings of [
      { runtime: "nodejs24.x", statements },
      { runtime: "nodejs24.x", statements: [{ ...statements[0], Action: "*" }] },
      { permissions: { net: ["*"] } },
      { permissions: { net: ["*.amazonaws.com"] } },
    ]
  ) {
    await using test = await startWith(KEYS, settings);
    for (const label of labels) {
      const message = await test.call(sesv2!, undefined, label);
      assertMatch(message, /its host begins with "email" or "ses".*, not with "/, label);
    }
    assertEquals(test.seen, []);
    for (const label of ["email", "ses", "mail-manager"]) await test.call(sesv2!, undefined, label);
    const hosts = ["email", "ses", "mail-manager"].map((one) => `${one}.us-east-1.amazonaws.com`);
    assertEquals(test.seen.map(({ host }) => host), hosts);
  }
  await using named = await startWith(KEYS, ["abc.execute-api.${region}.amazonaws.com:443"]);
  await named.call(sesv2!, undefined, "abc.execute-api");
  await named.call(sesv2!, undefined, "abd.execute-api");
  assertEquals(named.seen.map(({ host }) => host), ["abc.execute-api.us-east-1.amazonaws.com"]);
});

Deno.test("a service goes to the emulator that .env alone names, for the functions with rights for it, and never with the keys of the developer", async () => {
  const seen: { readonly path: string; readonly authorization: string }[] = [];
  await using emulator = serve((request) => {
    const { host, pathname } = new URL(request.url);
    assertEquals(request.headers.get("host"), host);
    seen.push({ path: pathname, authorization: request.headers.get("authorization")! });
    const headers = { "x-amzn-requestid": "from-emulator" };
    const body = { Parameter: { Name: "/a", Value: "b" } };
    return new Response(
      /[/](ses|email|sts|route53)[/]/.test(seen.at(-1)!.authorization)
        ? "<A><B/></A>"
        : JSON.stringify(body),
      { headers },
    );
  });
  // The names of the variables are those that the clients of the SDK read.
  const variables = await Promise.all(SERVICES.map(async ([name]) => {
    const module = await import(`npm:@aws-sdk/client-${name}@^3.1000.0`);
    const constructor = Object.keys(module).find((one) => /^[A-Z].*Client$/.test(one))!;
    const client = new module[constructor]({ region: "us-east-1" });
    const { serviceId } = client.config;
    client.destroy();
    return `AWS_ENDPOINT_URL_${serviceId.replaceAll(" ", "_").toUpperCase()}`;
  }));
  const all = Object.fromEntries(variables.map((variable) => [variable, emulator.url]));
  await using test = await startWith({ ...KEYS, ...all, AWS_REGION: "eu-central-1" });
  for (const service of SERVICES) {
    const [name, , , label, signed] = service;
    seen.length = 0;
    const answer = await test.call(service);
    assertEquals(seen.length, 1, `${name}: ${answer}`);
    const [, credential = ""] = /Credential=([^,]+),/.exec(seen[0]!.authorization)!;
    assertMatch(credential, new RegExp(`^test/\\d{8}/us-east-1/${signed}/aws4_request$`), name);
    if (!/email|sts|route53/.test(label)) assertEquals(answer, "from-emulator", name);
  }
  assertEquals(test.seen, []);

  const ssm = SERVICES.find(([name]) => name === "ssm")!;
  const kms = SERVICES.find(([name]) => name === "kms")!;
  const statements = [{ Effect: "Allow", Action: ["ssm:GetParameter"], Resource: "*" }];
  const onNode = { runtime: "nodejs24.x", statements };
  const only = { AWS_ENDPOINT_URL_SSM: emulator.url, AWS_ENDPOINT_URL_KMS: emulator.url };
  await using node = await startWith(only, onNode);
  assertEquals(await node.call(ssm), "from-emulator");
  assertMatch(await node.call(kms), /"kms" is not emulated.*name it in a statement/);
  await using none = await startWith({}, onNode);
  assertMatch(await none.call(ssm), /an emulator of your own, put AWS_ENDPOINT_URL_SSM there$/);
});

Deno.test("an emulator in .env is on this machine, is not the platform, and leaves the variables of functions alone", async () => {
  for (
    const url of [
      "https://127.0.0.1:5000",
      "http://ssm.example:5000",
      "http://127.0.0.1.example",
      "http://localhost:5000@evil.example",
      "http://localhost:99999",
      "localhost:5000",
      "http://10.0.0.1",
    ]
  ) {
    await assertRejects(
      () => startWith({ AWS_ENDPOINT_URL_SSM: url }),
      Error,
      "an emulator is on this machine, such as",
      url,
    );
  }
  const far = { AWS_ENDPOINT_URL_SSM: "https://ssm.example" };
  await using own = await startWith(far, { environment: { AWS_ENDPOINT_URL_SSM: "" } });
  assertEquals(own.environment.AWS_ENDPOINT_URL_SSM, far.AWS_ENDPOINT_URL_SSM);

  const ssm = SERVICES.find(([name]) => name === "ssm")!;
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  taken.close();
  for (const host of ["127.0.0.1", "localhost"]) {
    const values = { AWS_ENDPOINT_URL_SSM: `http://${host}:${port}` };
    await using test = await startWith(values, HOSTS, { port });
    assertMatch(await test.call(ssm), /AWS_ENDPOINT_URL_SSM in \.env is the platform itself/);
  }
});

Deno.test("findLogin() reads no file and runs no program that .env names", async () => {
  const folder = temporaryFolder();
  const config =
    `[default]\ncredential_process = touch ${folder}/ran\n[profile p]\ncredential_process = touch ${folder}/ran\n`;
  await Deno.writeTextFile(`${folder}/config`, config);
  const file =
    `AWS_CONFIG_FILE=${folder}/config\nAWS_PROFILE=p\nAWS_SHARED_CREDENTIALS_FILE=${folder}/config\n`;
  await Deno.writeTextFile(`${folder}/.env`, file);
  assertEquals(await findLogin(folder), undefined);
  const login = await findLogin(folder, "no-such-profile");
  await assertRejects(
    () => login!.credentials(),
    Error,
    'Cannot log in with the profile "no-such-profile"',
  );
  await assertRejects(() => Deno.stat(`${folder}/ran`), Deno.errors.NotFound);
  await Deno.writeTextFile(`${folder}/.env`, "AWS_ACCESS_KEY_ID=a\n");
  await assertRejects(() => findLogin(folder), Error, "AWS_SECRET_ACCESS_KEY is missing");
});
