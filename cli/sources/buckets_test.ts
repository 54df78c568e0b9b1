import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { notificationEvent } from "@mate/core/testing";
import { join } from "node:path";
import { FILES, manifestWith, startTestPlatform, type TestPlatform } from "../testdata/platform.ts";
import { createSequencer } from "./buckets.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { until, within } from "../../testdata/waiting.ts";

const HELLO_MD5 = "8b1a9953c4611296a827abf8c47804d7"; // of "Hello"

/** Waits until the functions have been called a number of times. */
async function waitForCalls(test: TestPlatform, count: number): Promise<void> {
  await until(`${count} calls`, () => test.host.calls.length >= count, () => test.host.calls);
}

/** Lists the name of the function, the name of the event, the key and the size for each call. */
function callsOf(test: TestPlatform): unknown[][] {
  return test.host.calls.map(({ name, event }) => {
    const [{ eventName, s3 }] = event.Records;
    return [name, eventName, s3.object.key, s3.object.size];
  });
}

Deno.test("an upload and a deletion send the events of Amazon S3", async () => {
  await using test = await startTestPlatform();
  const path = "/buckets/files/a/red%20flower%2B%C3%BC.jpg";
  const put = await test.send({ method: "PUT", path, body: "Hello" });
  assertEquals([put.status, put.header("ETag")], [200, `"${HELLO_MD5}"`]);
  const deleted = await test.send({ method: "DELETE", path });
  assertEquals([deleted.status, deleted.text], [204, ""]);
  await test.platform.settled();
  const key = "a/red+flower%2B%C3%BC.jpg";
  assertEquals(callsOf(test), [
    ["created", "ObjectCreated:Put", key, 5],
    ["removed", "ObjectRemoved:DeleteMarkerCreated", key, undefined],
  ]);

  const [created, removed] = test.host.calls.map(({ event }) => event.Records[0]);
  const { eventTime, responseElements, s3: { object: { sequencer, versionId } } } = created;
  assertEquals(
    created,
    notificationEvent([{
      region: "us-east-1",
      eventTime: new Date(eventTime),
      bucketName: FILES,
      objectKey: "a/red flower+ü.jpg",
      objectSize: 5,
      objectEtag: HELLO_MD5,
      objectSequencer: sequencer,
      objectVersionId: versionId,
      sourceIp: "127.0.0.1",
      requestId: responseElements["x-amz-request-id"],
      hostId: responseElements["x-amz-id-2"],
    }]).Records[0],
  );
  assertMatch(sequencer, /^[0-9A-F]{18}$/);
  assertMatch(versionId, /^[0-9a-f]{32}$/);
  assertEquals(Object.keys(removed.s3.object), ["key", "versionId", "sequencer"]);
  assert(removed.s3.object.sequencer > sequencer, "later events have greater sequencers");
  const list = await test.send({ path: "/buckets/files" });
  assertEquals(JSON.parse(list.text), { objects: [] });
});

Deno.test("a bucket calls the functions that listen to the type, the prefix and the suffix", async () => {
  const cases: [events: string[], takesPut: boolean, takesDelete: boolean][] = [
    [["s3:ObjectCreated:*"], true, false],
    [["s3:ObjectCreated:Put"], true, false],
    [["s3:ObjectCreated:Post"], false, false],
    [["s3:ObjectRemoved:*"], false, true],
    [["s3:ObjectRemoved:Delete"], false, false],
    [["s3:ObjectRemoved:DeleteMarkerCreated", "s3:ObjectCreated:*"], true, true],
  ];
  const functions = cases.map(([events], index) => {
    const trigger = { name: "files", events, prefix: `${index}/`, suffix: ".txt" };
    return [`f${index}`, { module: "f.ts", triggers: { buckets: [trigger] } }];
  });
  const manifest = manifestWith(Object.fromEntries(functions));
  await using test = await startTestPlatform(() => "{}", { manifest });
  for (const [index, [events, takesPut, takesDelete]] of cases.entries()) {
    for (const method of ["PUT", "DELETE"]) {
      for (const key of [`${index}/a.txt`, `${index}/a.csv`, `x${index}/a.txt`]) {
        await test.send({ method, path: `/buckets/files/${key}`, body: "Hello" });
      }
    }
    await test.platform.settled();
    const key = `${index}/a.txt`;
    const expected = [
      ...(takesPut ? [[`f${index}`, "ObjectCreated:Put", key, 5]] : []),
      ...(takesDelete ? [[`f${index}`, "ObjectRemoved:DeleteMarkerCreated", key, undefined]] : []),
    ];
    assertEquals(callsOf(test), expected, `${events}`);
    test.host.calls.length = 0;
  }
});

Deno.test("createSequencer() counts up, even within a millisecond", () => {
  const sequencers = Array.from({ length: 10_000 }, createSequencer());
  assertEquals(sequencers, [...new Set(sequencers)].sort());
  assertEquals(new Set(sequencers.map(({ length }) => length)), new Set([18]));
});

Deno.test("a new file in the folder of a bucket is an upload, and a removed file a deletion", async () => {
  await using test = await startTestPlatform();
  const folder = join(test.platform.bucketsFolder, "files");
  await Deno.mkdir(join(folder, "sub"));
  await Deno.writeTextFile(join(folder, "sub", "new file.txt"), "Hello");
  await Deno.writeTextFile(join(folder, ".hidden"), "no object");
  await waitForCalls(test, 1);
  await Deno.writeTextFile(join(folder, "sub", "new file.txt"), "Hello again");
  await waitForCalls(test, 2);
  await Deno.remove(join(folder, "sub", "new file.txt"));
  await waitForCalls(test, 3);
  assertEquals(callsOf(test), [
    ["created", "ObjectCreated:Put", "sub/new+file.txt", 5],
    ["created", "ObjectCreated:Put", "sub/new+file.txt", 11],
    ["removed", "ObjectRemoved:DeleteMarkerCreated", "sub/new+file.txt", undefined],
  ]);
});

Deno.test("a bucket calls no function for objects that exist at the start", async () => {
  const data = temporaryFolder();
  await Deno.mkdir(join(data, "buckets", "files"), { recursive: true });
  await Deno.writeTextFile(join(data, "buckets", "files", "old"), "Hello");
  await using test = await startTestPlatform(() => "{}", { data });
  const { objects: [{ key, etag }] } = JSON.parse(
    (await test.send({ path: "/buckets/files" })).text,
  );
  assertEquals([key, etag], ["old", HELLO_MD5]);
  await test.send({ method: "DELETE", path: "/buckets/files/old" });
  await test.platform.settled();
  assertEquals(callsOf(test), [["removed", "ObjectRemoved:DeleteMarkerCreated", "old", undefined]]);
});

Deno.test("an object has the uploaded content, and no browser shows it as a page", async () => {
  await using test = await startTestPlatform();
  const path = "/buckets/files/page.html";
  await test.send({ method: "PUT", path, body: "<script>alert(1)</script>" });
  const response = await test.send({ path });
  assertEquals([response.status, response.text], [200, "<script>alert(1)</script>"]);
  assertEquals(response.header("Content-Type"), "application/octet-stream");
  assertEquals(response.header("Content-Disposition"), "attachment");
  for (const other of [response, await test.send({ path: "/buckets/files" })]) {
    assertEquals(other.header("X-Content-Type-Options"), "nosniff");
    assertEquals(other.header("Cross-Origin-Resource-Policy"), "same-origin");
  }
  const head = await test.send({ method: "HEAD", path });
  assertEquals([head.status, head.header("Content-Length"), head.text], [200, "25", ""]);
});

Deno.test("a bucket keeps empty and large objects, and forgets deleted ones", async () => {
  await using test = await startTestPlatform();
  for (const [name, size] of [["e", 0], ["x".repeat(255), 12_000_000]] as const) {
    const path = `/buckets/files/${name}`;
    await test.send({ method: "PUT", path, body: new Uint8Array(size) });
    assertEquals((await test.send({ path })).bytes.length, size);
    for (let i = 0; i < 2; i++) {
      assertEquals((await test.send({ method: "DELETE", path })).status, 204);
    }
    assertEquals((await test.send({ path })).status, 404);
    await test.platform.settled();
    assertEquals(callsOf(test), [
      ["created", "ObjectCreated:Put", name, size],
      ["removed", "ObjectRemoved:DeleteMarkerCreated", name, undefined],
    ], "the second deletion calls no function");
    test.host.calls.length = 0;
  }
});

Deno.test("a bucket refuses wrong keys and methods", async () => {
  await using test = await startTestPlatform();
  await test.send({ method: "PUT", path: "/buckets/files/taken", body: "Hello" });
  const cases = [
    [400, "PUT", "/buckets/files/..%2F..%2Fx", "its path leads out of the bucket"],
    [400, "PUT", "/buckets/files/../../x", "its path leads out of the bucket"],
    [400, "PUT", `/buckets/files/${"x/".repeat(600)}x`, "it has over 1024 bytes"],
    [400, "PUT", "/buckets/files/%ff", '"%ff" is not percent-encoded UTF-8'],
    [404, "PUT", "/buckets/nope/x", 'The application has no bucket "nope"'],
    [404, "GET", "/buckets", 'The application has no bucket ""'],
    [404, "GET", "/buckets/files/none", 'The bucket "files" has no object "none"'],
    [415, "PUT", "/buckets/files/x", 'the coding "aws-chunked" is not supported', "aws-chunked"],
    [405, "POST", "/buckets/files/x", "use GET, HEAD, PUT, DELETE"],
    [405, "PUT", "/buckets/files", "use GET, HEAD"],
  ] as const;
  for (const [status, method, path, problem, encoding = ""] of cases) {
    const body = method === "PUT" ? "Hello" : "";
    const headers = [["Content-Encoding", encoding]] as const;
    const response = await test.send({ method, path, headers, body });
    const shown = `${method} ${path.slice(0, 80)}`;
    assertEquals(response.status, status, shown);
    assertStringIncludes(JSON.parse(response.text).message, problem, shown);
  }
  await test.platform.settled();
  assertEquals(callsOf(test), [["created", "ObjectCreated:Put", "taken", 5]]);
});

/** The text of the next record of the log. */
function nextNote({ log }: TestPlatform): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  log.follow(({ text }) => resolve(text));
  return within("a record of the log", promise);
}

Deno.test("a bucket logs that its folder cannot be read, and the platform goes on", async () => {
  await using test = await startTestPlatform();
  const folder = join(test.platform.bucketsFolder, "files");
  await until("a file in place of the folder", async () => {
    await Deno.remove(folder);
    return await Deno.writeTextFile(folder, "").then(() => true, () => false); // The bucket makes its folder again.
  });
  assertStringIncludes(await nextNote(test), 'Cannot read the bucket "files": ');
  assertEquals((await test.send({ path: "/v0/echo" })).status, 200);
});

Deno.test("a bucket keeps nothing of an upload if the client hangs up", async () => {
  await using test = await startTestPlatform();
  const { port } = test.platform;
  {
    using connection = await Deno.connect({ port });
    const { pathname } = new URL(test.platform.controlUrl);
    const head = `PUT ${pathname}/buckets/files/half HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    await connection.write(new TextEncoder().encode(`${head}Content-Length: 9\r\n\r\nabc`));
  }
  assertStringIncludes(await nextNote(test), "/buckets/files/half: ");
  const store = join(test.platform.bucketsFolder, ".records", "files");
  assertEquals(await Array.fromAsync(Deno.readDir(store)), []);
  await test.send({ method: "PUT", path: "/buckets/files/whole", body: "abc" });
  const { objects } = JSON.parse((await test.send({ path: "/buckets/files" })).text);
  assertEquals(objects.map(({ key }: { key: string }) => key), ["whole"]);
});

Deno.test({
  name: "a bucket ignores names that are not UTF-8, and goes on",
  ignore: Deno.build.os !== "linux", // On other systems, names are always Unicode.
  async fn() {
    await using test = await startTestPlatform();
    const folder = join(test.platform.bucketsFolder, "files");
    const script =
      'cd "$1"; bad=$(printf "bad\\377"); touch "$bad.txt"; mkdir "$bad"; touch "$bad/a"';
    await new Deno.Command("sh", { args: ["-c", script, "sh", folder] }).output();
    await Deno.writeTextFile(join(folder, "good"), "Hello");
    await waitForCalls(test, 1);
    assertEquals(callsOf(test).map(([, , key]) => key), ["good"]);
    for (const { text } of test.log.after(0)) assertMatch(text, /^Cannot watch ".*files": .*UTF-8/);
  },
});
