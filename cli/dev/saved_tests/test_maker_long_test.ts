import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { succeed, temporaryFolder } from "../../../testdata/programs.ts";
import { within } from "../../../testdata/waiting.ts";
import { startPlatform } from "../platform.ts";

const ROOT = new URL("../../../", import.meta.url);

/** A module whose answers have times and identifiers, and which reads an object, an item, a secret and a cookie. */
const READING = `
  import { DynamoDB } from "$DYNAMODB";
  import { S3 } from "$S3";
  const { BUCKET_FILES, TABLE_ITEMS } = Deno.env.toObject();
  export async function read(event) {
    const { Body } = await new S3().getObject({ Bucket: BUCKET_FILES, Key: "a/b c.txt" });
    const { Item } = await new DynamoDB().getItem({ TableName: TABLE_ITEMS, Key: { id: { S: "1" } } });
    const body = JSON.stringify({ text: await Body.transformToString(), item: Item.n.N, time: Date.now() });
    return { statusCode: 200, headers: { "Set-Cookie": "session=of-the-answer" }, body };
  }
`;

const CODE = `
  export const pure = (event) => ({ sum: event.a + event.b, id: crypto.randomUUID(), time: Date.now() });
  export const secret = (event) => ({ isKnown: Deno.env.get("KEY") !== undefined, cookie: event.headers.cookie.length > 0 });
  export const fail = () => { throw new RangeError("too far"); };
  export const some = ({ Records }) => ({ batchItemFailures: [{ itemIdentifier: Records[0].messageId }] });
  let count = 0;
  export const once = () => { if (count++ > 0) return 1; throw new Error("not yet"); };
`;

const MANIFEST = {
  name: "app",
  stage: "v0",
  defaults: { timeout: 20, memory: 512 },
  functions: {
    pure: { module: "code/f.ts", handler: "pure" },
    read: {
      module: "code/read.ts",
      handler: "read",
      triggers: { routes: [{ method: "GET", path: "/read/{id}" }] },
      uses: { buckets: { files: "read" }, tables: { items: "read" } },
    },
    secret: { module: "code/f.ts", handler: "secret", secrets: ["KEY"] },
    fail: { module: "code/f.ts", handler: "fail" },
    some: { module: "code/f.ts", handler: "some", triggers: { queues: [{ name: "jobs" }] } },
    once: { module: "code/f.ts", handler: "once" },
  },
  queues: { jobs: { retries: 0 } },
  tables: { items: { key: { id: "string" } } },
};

Deno.test("a saved test passes, asserts what stays the same, and holds no secret", async () => {
  const folder = temporaryFolder();
  const { imports } = JSON.parse(
    await Deno.readTextFile(new URL(".ci/deno.json", ROOT)),
  );
  await Deno.mkdir(`${folder}/code`);
  const reading = READING.replace("$DYNAMODB", imports["@aws-sdk/client-dynamodb"])
    .replace("$S3", imports["@aws-sdk/client-s3"]);
  await Deno.writeTextFile(`${folder}/code/f.ts`, CODE);
  await Deno.writeTextFile(`${folder}/code/read.ts`, reading);
  await Deno.writeTextFile(`${folder}/app.json`, JSON.stringify(MANIFEST));
  await Deno.writeTextFile(
    `${folder}/deno.json`,
    '{ "imports": { "@mate/cli/platform": "see the flag" } }',
  );
  await using platform = await startPlatform(`${folder}/app.json`, {
    bundling: "when invoked",
    secrets: { KEY: "manifest-secret" },
  });
  const { controlUrl, servicesUrl } = platform;
  const send = async (url: string, init: RequestInit) => await (await fetch(url, init)).text();
  const invoke = (name: string, event: unknown) =>
    send(`${controlUrl}/2015-03-31/functions/${name}/invocations`, {
      method: "POST",
      body: JSON.stringify(event),
    });
  await send(`${controlUrl}/buckets/files/a/b%20c.txt`, { method: "PUT", body: "content" });
  await send(servicesUrl, {
    method: "POST",
    headers: { "x-amz-target": "DynamoDB_20120810.PutItem" },
    body: JSON.stringify({ TableName: "app-items", Item: { id: { S: "1" }, n: { N: "5" } } }),
  });
  await send(`${platform.url}/v0/read/7`, {});
  await invoke("pure", { a: 1, b: 2 });
  await invoke("secret", { headers: { cookie: "session=of-the-client" }, note: "manifest-secret" });
  await invoke("fail", {});
  await send(`${controlUrl}/queues/jobs`, { method: "POST", body: "m" });
  await within("the end", platform.settled());
  await invoke("once", {});
  await invoke("once", {});
  const spans = await platform.traces();
  const save = async (name: string) => {
    const { id } = spans.findLast((span) => span.name === name)!;
    const response = await fetch(`${controlUrl}/spans/${id}/test`, { method: "POST" });
    return { status: response.status, body: await response.json() };
  };
  const expected = {
    pure: "code/pure_pure_test.ts",
    read: "code/read_get_read_id_test.ts",
    secret: "code/secret_secret_test.ts",
    fail: "code/fail_fail_test.ts",
    some: "code/some_jobs_test.ts",
  };
  for (const [name, test] of Object.entries(expected)) {
    const { status, body } = await within(name, save(name));
    assertEquals(
      [status, body.files],
      [201, [test, test.replace("_test.ts", ".json")]],
      JSON.stringify(body),
    );
    assertEquals(body.command, `deno test -A ${test}`);
    for (const file of body.files) {
      const text = await Deno.readTextFile(`${folder}/${file}`);
      for (const secret of ["manifest-secret", "of-the-client", "of-the-answer"]) {
        assertEquals([file, text.includes(secret)], [file, false]);
      }
    }
  }
  const source = (name: keyof typeof expected) => Deno.readTextFile(`${folder}/${expected[name]}`);
  assertMatch(await source("pure"), /assert\.deepEqual\(result\.sum, 3\);\n/);
  assertEquals((await source("pure")).includes("result.id"), false);
  assertStringIncludes(
    await source("read"),
    'assert.deepEqual(JSON.parse(result.body).text, "content");',
  );
  assertStringIncludes(await source("secret"), "process.env.TEST_COOKIE");
  assertStringIncludes(await source("secret"), "process.env.TEST_KEY");
  assertStringIncludes(await source("fail"), 'assert.equal(failure, "Unhandled");');
  const again = await save("pure");
  assertEquals([again.status, again.body.message], [
    409,
    'The file "code/pure_pure_test.ts" exists: rename or remove it, then save again',
  ]);
  const once = await save("once");
  assertEquals(once.status, 409);
  assertMatch(
    once.body.message,
    /^No test can be made: on a platform of its own, it fails with Error: not yet/,
  );

  // The tests pass with the runner of the project. The configuration is that of this checkout, with its own tool.
  const args = [
    "test",
    "-A",
    "--no-check",
    "--no-lock",
    `--config=${new URL("deno.json", ROOT).pathname}`,
    `${folder}/code`,
  ];
  const output = await succeed(Deno.execPath(), args, {
    cwd: dirname(folder),
    env: { NO_COLOR: "1" },
  });
  assertMatch(output, /5 passed/);
});
