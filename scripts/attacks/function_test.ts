import { assertEquals, assertMatch } from "@std/assert";
import { startPlatform } from "@mate/cli/platform";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { plainFolders } from "../../cli/lambda/isolation/isolation.ts";
import { hasNamespace, isolation, startApp } from "../../cli/testdata/sandbox.ts";
import { temporaryFolder } from "../../testdata/programs.ts";

/** A function that tries what the event says. It returns the names of the attempts that succeeded. */
const EVIL = `
import { exec } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
const { AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, DENO_DIR } = Deno.env.toObject();

const PROXIES = ["HTTP", "HTTPS", "ALL", "NO"].map((name) => name + "_PROXY")
  .flatMap((name) => [name, name.toLowerCase()]);

const read = (path) => () => Deno.readTextFile(path);
const write = (path) => () => Deno.writeTextFile(path, "evil");
const connect = (url) => () => fetch(url, { method: "POST", body: "{}" });

/** SQLite checks that it can write to the folder. The permissions of Deno do not count there. */
const store = (folder) => () => new DatabaseSync(":memory:").exec("PRAGMA temp_store_directory = '" + folder + "'");

const machine = ({ files, folders, urls }) => ({
  ...Object.fromEntries(folders.map((folder) => ["store in " + folder, store(folder)])),
  ...Object.fromEntries(files.map((path) => ["read " + path, read(path)])),
  "write to the code": write("/var/task/index.mjs"),
  "write to the layer": write("/opt/mate/bootstrap.js"),
  "write to the permissions": write("/var/task/mate/net"),
  "write to compiled code": write(DENO_DIR + "/evil"),
  "write outside": write("/var/tmp/evil"),
  "link to a file": async () => {
    await Deno.symlink("/etc/passwd", "/tmp/link");
    await Deno.readTextFile("/tmp/link");
  },
  "a program": () => new Deno.Command("/bin/sh").output(),
  "a program of Node.js": () => new Promise((resolve, reject) => exec("id", (error) => error ? reject(error) : resolve())),
  "a library": () => Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", { getpid: { parameters: [], result: "i32" } }),
  "a worker with all permissions": () => new Promise((resolve, reject) => {
    const code = "postMessage(Deno.readTextFileSync('/etc/passwd'))";
    const worker = new Worker("data:text/javascript," + code, { type: "module" });
    worker.onmessage = resolve;
    worker.onerror = (event) => { event.preventDefault(); reject(event); };
  }),
  "foreign code": () => import("http://127.0.0.1:1/" + "code.js"),
  ...Object.fromEntries(urls.map((url) => ["connect to " + url, connect(url)])),
  "listen": () => Deno.listen({ port: 0 }).close(),
  ...Object.fromEntries(PROXIES.flatMap((name) => [
    ["to set " + name, () => Deno.env.set(name, urls[0])],
    ["to set " + name + " in process.env", () => { process.env[name] = urls[0]; }],
    ["to set " + name + " in a worker", () => new Promise((resolve, reject) => {
      const code = "try { Deno.env.set('" + name + "', '" + urls[0] + "'); postMessage('set'); } catch { postMessage('') }";
      const worker = new Worker("data:text/javascript," + code, { type: "module" });
      worker.onmessage = ({ data }) => data ? resolve() : reject();
      worker.onerror = (event) => { event.preventDefault(); reject(event); };
    })],
  ])),
  "a server through a proxy": async () => {
    const { status } = await fetch(AWS_ENDPOINT_URL + "/settled", { client: Deno.createHttpClient({}) });
    if (status !== 204) throw new Error("the services have answered");
  },
  ...Object.fromEntries(["http", "https", "socks5"].map((scheme) => [
    "a client with a proxy by " + scheme,
    () => Deno.createHttpClient({ proxy: { url: urls[0].replace("http", scheme) } }),
  ])),
});

const hash = (text) => createHash("sha256").update(text).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

/** Sends a request with the signature of this function, or with another key. */
const call = async (service, content = "", { path = "", headers = {}, method = "POST", as = {} } = {}) => {
  const { key = AWS_ACCESS_KEY_ID, secret = AWS_SECRET_ACCESS_KEY, token = AWS_SESSION_TOKEN } = as;
  const body = typeof content === "object" ? JSON.stringify(content) : content;
  const time = new Date().toISOString().replaceAll(/[-:]|\\.\\d{3}/g, "");
  const scope = time.slice(0, 8) + "/us-east-1/" + service + "/aws4_request";
  const [place, query = ""] = path.split("?");
  const digest = hash(body);
  const fields = { ...headers, host: new URL(AWS_ENDPOINT_URL).host, "x-amz-content-sha256": digest, "x-amz-date": time, "x-amz-security-token": token };
  const names = Object.keys(fields).sort();
  const canonical = [
    method,
    "/" + decodeURIComponent(place),
    query + (query.includes("=") || query === "" ? "" : "="),
    ...names.map((name) => name + ":" + fields[name]),
    "",
    names.join(";"),
    digest,
  ].join("\\n");
  const signing = scope.split("/").reduce((last, part) => hmac(last, part), "AWS4" + secret);
  const signature = hmac(signing, ["AWS4-HMAC-SHA256", time, scope, hash(canonical)].join("\\n")).toString("hex");
  const authorization = "AWS4-HMAC-SHA256 Credential=" + key + "/" + scope +
    ", SignedHeaders=" + names.join(";") + ", Signature=" + signature;
  const { host, ...sent } = fields;
  const response = await fetch(AWS_ENDPOINT_URL + "/" + path, {
    method,
    headers: { ...sent, authorization },
    body: body === "" ? undefined : body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(response.status + " " + text);
  return text;
};
const form = { headers: { "content-type": "application/x-www-form-urlencoded" } };
const json = (target) => ({ headers: { "x-amz-target": target, "content-type": "application/x-amz-json-1.0" } });
const arn = (name) => "arn:aws:sns:us-east-1:000000000000:shop-" + name;
const url = (name) => AWS_ENDPOINT_URL + "/000000000000/shop-" + name;
const files = "shop-files-000000000000-us-east-1";
const publish = "Action=Publish&TopicArn=" + arn("news") + "&Message=evil";
const send = "Action=SendMessage&QueueUrl=" + url("jobs") + "&MessageBody=evil";
const event = (entry) => ({ Entries: [{ Source: "shop", DetailType: "evil", Detail: "{}", ...entry }] });
const put = (entry) => async () => {
  const { FailedEntryCount } = JSON.parse(await call("events", event(entry), json("AWSEvents.PutEvents")));
  if (FailedEntryCount > 0) throw new Error("refused");
};
const remove = (...keys) => call(
  "s3",
  "<Delete>" + keys.map((key) => "<Object><Key>" + key + "</Key></Object>").join("") + "</Delete>",
  { path: files + "?delete", headers: { "x-amz-checksum-crc32": "AAAAAA==" } },
);

const sendOther = (as) =>
  call("sqs", { QueueUrl: url("other"), MessageBody: "evil" }, { ...json("AmazonSQS.SendMessage"), as });

const services = ({ toldKey, toldToken }) => ({
  "another action, after the granted one": () => call("sns", publish + "&Action=DeleteTopic", form),
  "another action, before the granted one": () => call("sns", "Action=DeleteTopic&" + publish, form),
  "another action in the query": () => call("sns", publish.replace("evil", "harmless"), { ...form, path: "?Action=DeleteTopic" }),
  "another topic, after the granted one": () => call("sns", publish + "&TopicArn=" + arn("other"), form),
  "another topic, before the granted one": () => call("sns", publish.replace("TopicArn", "TopicArn=" + arn("other") + "&TopicArn"), form),
  "another topic as a target": () => call("sns", publish + "&TargetArn=" + arn("other"), form),
  "a queue that is granted by its name": () =>
    call("sqs", { QueueName: "shop-jobs", QueueUrl: url("other"), MessageBody: "evil" }, json("AmazonSQS.SendMessage")),
  "a queue by another key of JSON": () =>
    call("sqs", '{"QueueUrl":"' + url("jobs") + '","MessageBody":"evil","QueueUrl":"' + url("other") + '"}', json("AmazonSQS.SendMessage")),
  "a second queue of a form": () => call("sqs", send + "&QueueUrl=" + url("other"), form),
  "a queue in the path": () => call("sqs", { MessageBody: "evil" }, { ...json("AmazonSQS.SendMessage"), path: "000000000000/shop-other" }),
  "a message to a queue whose condition is not met": () =>
    call("sqs", { QueueUrl: url("limited"), MessageBody: "evil" }, json("AmazonSQS.SendMessage")),
  "to receive from a queue that it may send to": () => call("sqs", { QueueUrl: url("jobs") }, json("AmazonSQS.ReceiveMessage")),
  "an event of another source": put({ Source: "other" }),
  "an event of AWS": put({ Source: "aws.s3" }),
  "an event of another bus": put({ EventBusName: "other" }),
  "an event of another bus by its ARN": put({ EventBusName: "arn:aws:events:us-east-1:000000000000:event-bus/other" }),
  "to delete an object that is denied": () => call("s3", undefined, { path: files + "/secret/a", method: "DELETE" }),
  "to delete an object that is denied, by an encoded key": () => call("s3", undefined, { path: files + "/%73ecret/a", method: "DELETE" }),
  "to delete a denied object beside an allowed one": () => remove("open/none", "secret/a"),
  "to copy an object that is denied": () =>
    call("s3", undefined, { path: files + "/open/copy", method: "PUT", headers: { "x-amz-copy-source": files + "/secret/a" } }),
  "another bucket": () => call("s3", "evil", { path: files.replace("files", "others") + "/a", method: "PUT", headers: { "content-length": "4" } }),
  "another function": () => call("lambda", "{}", { path: "2015-03-31/functions/told/invocations" }),
  "another service with the key of a stranger": () => sendOther({ key: "developer", secret: "local" }),
  "the key of another function with a guessed secret": () => sendOther({ key: toldKey, secret: "local", token: toldToken }),
  "the key of another function with its own secret": () => sendOther({ key: toldKey, token: toldToken }),
  "a service that is not emulated": () => call("kinesis", "{}", json("Kinesis_20131202.PutRecord")),
});

/** What the manifest grants. Without these, the attempts would prove nothing. */
const granted = () => ({
  publish: () => call("sns", publish.replace("evil", "good"), form),
  send: () => call("sqs", { QueueUrl: url("jobs"), MessageBody: "good" }, json("AmazonSQS.SendMessage")),
  put: put({ DetailType: "good" }),
  write: () => call("s3", "good", { path: files + "/open/a", method: "PUT" }),
});

export const handler = async ({ kind, ...facts }) => {
  const done = [];
  for (const [name, attempt] of Object.entries({ machine, services, granted }[kind](facts))) {
    await Promise.try(attempt).then(() => done.push(name), () => {});
  }
  return { done, environment: Deno.env.toObject() };
};
`;

/** A function that logs what it gets. */
const TOLD = `export const handler = ({ Records = [], ...event }) => {
  for (const { body, Sns } of Records) console.log("told " + (Sns?.Message ?? body));
  if (event["detail-type"]) console.log("told " + event["detail-type"]);
  return Deno.env.toObject();
};`;

const MANIFEST = {
  name: "shop",
  stage: "v0",
  queues: { jobs: {}, other: {}, limited: {} },
  functions: {
    evil: {
      module: "evil.js",
      timeout: 60,
      memory: 512,
      uses: {
        topics: { news: "publish" },
        queues: { jobs: "send" },
        buckets: { files: "read-write" },
      },
      statements: [
        {
          Effect: "Allow",
          Action: "events:PutEvents",
          Resource: "arn:aws:events:${region}:${account}:event-bus/default",
          Condition: { StringEquals: { "events:source": "shop" } },
        },
        {
          Effect: "Allow",
          Action: "sqs:SendMessage",
          Resource: "*",
          Condition: { StringEquals: { "aws:PrincipalType": "User" } },
        },
        { Effect: "Deny", Action: "s3:*", Resource: "arn:aws:s3:::*/secret/*" },
      ],
    },
    told: {
      module: "told.js",
      environment: { SECRET: "told's" },
      uses: { queues: { other: "send" } },
      triggers: {
        topics: [{ name: "news" }, { name: "other" }],
        queues: [{ name: "jobs" }, { name: "other" }, { name: "limited" }],
        events: [{ pattern: { "detail-type": ["evil", "good"] } }],
        buckets: [{ name: "others", events: ["s3:ObjectRemoved:*"] }],
      },
    },
  },
};

/** Starts the application, with a secret in the environment of the platform and beside the manifest. */
async function startVictim() {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await makeApp({ "evil.js": EVIL, "told.js": TOLD, "secret.txt": "" }, {}));
  await Deno.writeTextFile(app.manifest, JSON.stringify(MANIFEST));
  Deno.env.set("SECRET_OF_THE_PLATFORM", "secret");
  stack.defer(() => Deno.env.delete("SECRET_OF_THE_PLATFORM"));
  const platform = stack.use(await startPlatform(app.manifest));
  const owned = stack.move();
  return {
    app,
    platform,
    async invoke(name: string, event: unknown = {}) {
      const url = `${platform.controlUrl}/2015-03-31/functions/${name}/invocations`;
      const response = await fetch(url, { method: "POST", body: JSON.stringify(event) });
      return await response.json();
    },
    /** What the function "told" has got. */
    async told() {
      await platform.settled();
      return platform.log.after(0).flatMap(({ text }) => /told (.*)/.exec(text)?.[1] ?? []).sort();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test({
  name: "a function cannot leave its sandbox",
  ignore: !hasNamespace,
  async fn() {
    await using victim = await startVictim();
    const { platform, app } = victim;
    const { AWS_LAMBDA_RUNTIME_API: runtimeApi } = await victim.invoke("told");
    const files = [
      ...["/etc/passwd", "/proc/1/environ", "/proc/self/environ", "/proc/net/tcp", "/root"],
      ...[`${app.folder}/secret.txt`, `${app.folder}/app.json`, "/var/tmp", "/var/task/../told-1"],
    ];
    const folders = [
      "/tmp",
      "/dev/shm",
      "/run/lock",
      "/",
      "/mnt",
      "/var",
      "/var/task",
      "/opt",
      "/home",
    ];
    const urls = [
      platform.controlUrl,
      platform.url,
      platform.servicesUrl,
      `http://${runtimeApi}/2018-06-01/runtime/invocation/id/response`,
      "http://[::1]:1",
      "http://example.invalid",
    ];
    const { done, environment } = await victim.invoke("evil", {
      kind: "machine",
      files,
      folders,
      urls,
    });
    assertEquals(done, ["store in /tmp"]);
    assertMatch(environment.AWS_SECRET_ACCESS_KEY, /^[\w-]{40}$/);
    assertEquals(
      ["SECRET", "SECRET_OF_THE_PLATFORM", "USER"].filter((name) => name in environment),
      [],
    );
  },
});

Deno.test({
  name: "a variable of a manifest affects no program that starts a function",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const folder = temporaryFolder();
    await Deno.chmod(folder, 0o777);
    // With these variables, the dynamic linker of Linux writes a file for each program that starts.
    const environment = {
      LD_DEBUG: "files",
      LD_DEBUG_OUTPUT: `${folder}/linker`,
      TZ: "Asia/Tokyo",
    };
    const module = `export const handler = () => [new Date(0).getHours(), Deno.env.toObject()];`;
    for (const chosen of new Set([isolation!, plainFolders("of the test")])) {
      await using app = await startApp(module, { environment }, {}, chosen);
      const [hour, variables] = (await app.invoke()).json as [number, Record<string, string>];
      assertEquals(hour, 9);
      assertEquals({ ...variables, ...environment }, variables);
      assertEquals(await Array.fromAsync(Deno.readDir(folder)), [], chosen.kind);
    }
  },
});

Deno.test("a function can do at the services only what its manifest grants", async () => {
  await using victim = await startVictim();
  const { platform } = victim;
  const bucket = `${platform.controlUrl}/buckets/files`;
  await fetch(`${bucket}/secret/a`, { method: "PUT", body: "secret" });
  const { AWS_ACCESS_KEY_ID: toldKey, AWS_SESSION_TOKEN: toldToken } = await victim.invoke("told");
  const { done } = await victim.invoke("evil", { kind: "services", toldKey, toldToken });
  const left: { objects: { key: string }[] } = await (await fetch(bucket)).json();
  assertEquals(left.objects.map(({ key }) => key), ["secret/a"]);
  const harmless = [
    "another action in the query", // Only the granted action of the body runs.
    "to delete a denied object beside an allowed one", // Amazon S3 answers 200, with an error for one of the objects.
  ];
  assertEquals(done.filter((name: string) => !harmless.includes(name)), []);
  assertEquals(await victim.told(), ["harmless"]);
  const { done: granted } = await victim.invoke("evil", { kind: "granted" });
  assertEquals(granted, ["publish", "send", "put", "write"]);
  assertEquals(await victim.told(), ["good", "good", "good", "harmless"]);
});
