import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { createHash } from "node:crypto";
import { isAbsolute, join, relative } from "node:path";
import { BucketFolder, type ObjectChange } from "./bucket_folder.ts";
import type { StoredObject } from "./object_store.ts";
import { checkKey, ObjectKeyError, pathOf } from "./object_store.ts";

const CLIENT = { sourceIp: "127.0.0.1" };

async function* content(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Makes a bucket in a temporary folder. */
async function createBucket() {
  const root = await Deno.makeTempDir();
  const folder = join(root, "bucket");
  const changes: ObjectChange[] = [];
  const store = join(root, "store");
  const folders = { data: root, objects: folder, store };
  const open = () => BucketFolder.load(folders, (change) => changes.push(change));
  const bucket = await open();
  return {
    bucket,
    folder,
    store,
    /** Opens the bucket again, as the next run of the platform does. */
    open,
    reported: () => changes.splice(0).map(({ eventName, key }) => `${eventName} ${key}`),
    async read(key: string, from = bucket) {
      const found = await from.open(key);
      return found && await new Response(found.content).text();
    },
    put: (key: string, text = "Hello") => bucket.put(key, content(text), CLIENT),
    /** Lists the files of the store. Each object has two: the record and the content. */
    stored: () => [...Deno.readDirSync(store)].map(({ name }) => name),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

Deno.test("BucketFolder lists objects by key, and deletes folders that hold none", async () => {
  await using test = await createBucket();
  for (const key of ["b\\c", "a/2", "a/1"]) await test.put(key);
  assertEquals(test.bucket.list().map(({ key }) => key), ["a/1", "a/2", "b\\c"]);
  await test.bucket.delete("a/1", CLIENT);
  assertEquals((await Deno.stat(join(test.folder, "a"))).isDirectory, true);
  await test.bucket.delete("a/2", CLIENT);
  await assertRejects(() => Deno.stat(join(test.folder, "a")), Deno.errors.NotFound);
});

Deno.test("BucketFolder reports a change once, and a hidden file only if a client put it", async () => {
  await using test = await createBucket();
  await test.put(".put");
  await test.put("gone");
  await Deno.writeTextFile(join(test.folder, ".appeared"), "");
  await Deno.symlink("/etc/hostname", join(test.folder, "link"));
  await test.bucket.scan();
  assertEquals(test.reported(), ["ObjectCreated:Put .put", "ObjectCreated:Put gone"]);
  await Deno.remove(join(test.folder, "gone"));
  assertEquals(await test.read("gone"), "Hello", "a program's change is seen by the next scan");
  await Deno.writeTextFile(join(test.folder, ".put"), "changed");
  await test.bucket.scan();
  const removed = "ObjectRemoved:DeleteMarkerCreated gone";
  assertEquals(test.reported(), ["ObjectCreated:Put .put", removed]);
  await test.bucket.scan();
  assertEquals(test.reported(), []);
  await test.put("dir/file");
  // A file that comes back has the same time and size.
  const [file, away] = [join(test.folder, "dir", "file"), join(test.folder, "..", "away")];
  for (const [from, to] of [[file, away], [away, file]] as const) {
    await Deno.rename(from, to);
    await test.bucket.scan();
  }
  const created = "ObjectCreated:Put dir/file";
  assertEquals(test.reported(), [created, "ObjectRemoved:DeleteMarkerCreated dir/file", created]);
});

Deno.test("BucketFolder keeps nothing of an object that a client may not put, and refuses wrong keys", async () => {
  await using test = await createBucket();
  await test.put("a");
  const before = test.stored();
  const check = () => {
    throw new Error("There is such an object");
  };
  const put = () => test.bucket.put("a", content("other"), { ...CLIENT, check });
  await assertRejects(put, Error, "There is such an object");
  await assertRejects(() => test.bucket.delete("a", { ...CLIENT, check }), Error, "There is such");
  for (
    const call of [
      () => test.put(".."),
      () => test.bucket.open(".."),
      () => test.bucket.delete("..", CLIENT),
    ]
  ) await assertRejects(call, ObjectKeyError);
  assertEquals([test.stored(), await test.read("a")], [before, "Hello"]);
  for (const name of before) if (!name.endsWith(".json")) await Deno.remove(join(test.store, name));
  const message = 'Cannot read the object "a": its content was removed. Put it again';
  await assertRejects(() => test.bucket.open("a"), Error, message);
});

Deno.test("BucketFolder follows no link out of its folder", async () => {
  await using test = await createBucket();
  const outside = join(test.folder, "..", "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "secret"), "secret");
  await Deno.symlink(outside, join(test.folder, "folder"));
  await Deno.symlink(join(outside, "new"), join(test.folder, "file"));
  for (const key of ["folder/secret", "folder/a/b", "file"]) {
    assertEquals(await test.bucket.open(key), undefined, key);
    await test.put(key, "inside");
    assertEquals(await test.read(key), "inside");
    await test.bucket.delete(key, CLIENT);
  }
  assertEquals(await Array.fromAsync(Deno.readDir(outside), ({ name }) => name), ["secret"]);
  assertEquals(await Deno.readTextFile(join(outside, "secret")), "secret");
});

Deno.test("BucketFolder changes an object whose file is gone, or is a folder now", async () => {
  await using test = await createBucket();
  await test.put("a");
  await Deno.remove(join(test.folder, "a"));
  await test.bucket.delete("a", CLIENT);
  await test.put("b");
  await Deno.remove(join(test.folder, "b"));
  await Deno.mkdir(join(test.folder, "b", "full"), { recursive: true });
  await test.put("b", "again");
  await test.bucket.scan();
  assertEquals([await test.read("b"), test.stored().length], ["again", 2]);
  await test.bucket.delete("b", CLIENT);
  assertEquals((await Deno.stat(join(test.folder, "b", "full"))).isDirectory, true);
  const created = "ObjectCreated:Put";
  assertEquals(test.reported(), [
    `${created} a`,
    "ObjectRemoved:DeleteMarkerCreated a",
    `${created} b`,
    `${created} b`,
    "ObjectRemoved:DeleteMarkerCreated b",
  ]);
});

Deno.test("BucketFolder keeps objects whose keys no file can have, also for the next run", async () => {
  await using test = await createBucket();
  const long = "x".repeat(256);
  const keys = ["/a", "a", "a/", "a//b", "a/b", "b/../c", "c", "./d", long, "nul\0"];
  for (const key of keys) await test.put(key, "former content");
  for (const key of keys) await test.put(key, `content of ${key}`);
  assertEquals(test.stored().length, 2 * keys.length);
  for (const bucket of [test.bucket, await test.open()]) {
    assertEquals(bucket.list().map(({ key }) => key), [...keys].sort());
    for (const key of keys) assertEquals(await test.read(key, bucket), `content of ${key}`);
  }
  for (const key of keys) await test.bucket.delete(key, CLIENT);
  assertEquals([test.stored(), (await test.open()).list()], [[], []]);
});

Deno.test("BucketFolder keeps the facts of an object, until a program changes its file", async () => {
  await using test = await createBucket();
  const facts = {
    fields: { "content-type": "text/css" },
    etag: "5d41402abc4b2a76-2",
    parts: [2, 3],
  };
  await test.bucket.put("a", content("Hello"), { ...CLIENT, facts: () => facts });
  const [{ fields, etag, parts }] = (await test.open()).list() as [StoredObject];
  assertEquals({ fields, etag, parts }, facts);
  await Deno.writeTextFile(join(test.folder, "a"), "changed");
  const modified = 1_600_000_000_000;
  await Deno.utime(join(test.folder, "a"), new Date(modified), new Date(modified));
  for (let runs = 0; runs < 2; runs++) {
    const [changed] = (await test.open()).list();
    assertEquals([changed?.fields, changed?.etag], [undefined, "8977dfac2f8e04cb96e66882235f5aba"]);
    assertEquals([changed?.modified, test.stored().length], [modified, 2]);
  }
});

Deno.test("BucketFolder shows one version of an object, whoever changes it meanwhile", async () => {
  await using test = await createBucket();
  const file = join(test.folder, "a");
  const text = (number: number) => String(number).repeat(20_000 * number);
  const etagOf = (text: string) => createHash("md5").update(text).digest("hex");
  const etags = new Map(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [etagOf(text(number)), number]),
  );
  await test.put("a", text(1));
  let isOver = false;
  const read = async () => {
    let count = 0;
    for (; !isOver; count++) {
      const found = await test.bucket.open("a");
      const number = etags.get(found!.object.etag)!;
      assertEquals(await new Response(found!.content).text() === text(number), true);
      assertEquals(found!.object.fields, number < 5 ? undefined : { by: String(number) });
    }
    return count;
  };
  const scan = async () => {
    while (!isOver) await test.bucket.scan();
  };
  const change = async () => {
    for (let round = 0; round < 10; round++) {
      const edited = 1 + round % 4;
      // The program empties the file first, so an empty object is a version, too.
      await Deno.writeTextFile(file, text(edited));
      await new Promise((resolve) => setTimeout(resolve, round % 2 * 30));
      const number = 5 + round % 5;
      const facts = () => ({ fields: { by: String(number) } });
      await test.bucket.put("a", content(text(number)), { ...CLIENT, facts });
    }
    isOver = true;
  };
  const [counts] = await Promise.all([Promise.all([read(), read()]), scan(), change()]);
  assertEquals(Math.min(...counts) > 10, true, `${counts}`);
  await Deno.writeTextFile(file, text(2));
  await test.bucket.scan();
  assertEquals(await test.read("a"), text(2), "the last edit is seen");
});

Deno.test("BucketFolder finishes or removes what a killed process left", async () => {
  await using test = await createBucket();
  await test.put("a", "old");
  await test.put("b");
  const before = await Array.fromAsync(Deno.readDir(test.store), ({ name }) => name);
  // A process was killed before it moved the copy of a new version into the folder.
  const name = before.find((name) => Deno.statSync(join(test.store, name)).size === 3);
  await Deno.rename(join(test.folder, "a"), join(test.store, `${name}.copy`));
  await Deno.writeTextFile(join(test.folder, "a"), "the version before");
  // Another was killed while it wrote content, a copy or a record.
  for (const suffix of ["", ".copy", ".new"]) {
    await Deno.writeTextFile(join(test.store, crypto.randomUUID() + suffix), "half");
  }
  const next = await test.open();
  assertEquals(await test.read("a", next), "old");
  assertEquals(await Deno.readTextFile(join(test.folder, "a")), "old");
  const after = await Array.fromAsync(Deno.readDir(test.store), ({ name }) => name);
  assertEquals(after.sort(), before.sort());
  assertEquals(next.list().map(({ key }) => key), ["a", "b"]);
});

Deno.test("BucketFolder ignores the records that it cannot have written", async () => {
  const secret = "../secret";
  const changes: object[] = [
    { key: 5 },
    { key: "other//key" },
    { content: secret },
    { content: "other" },
    { content: crypto.randomUUID() },
    { etag: "a\r\nb" },
    { modified: "now" },
    { size: 1 },
  ];
  for (const change of [{}, ...changes]) {
    await using test = await createBucket();
    await test.put("a//b");
    for (const name of [secret, "other"]) await Deno.writeTextFile(join(test.store, name), "Hello");
    const record = join(test.store, test.stored().find((name) => name.endsWith(".json"))!);
    const text = JSON.stringify({ ...JSON.parse(await Deno.readTextFile(record)), ...change });
    await Deno.writeTextFile(record, text);
    const isOwn = Object.keys(change).length === 0;
    assertEquals((await test.open()).list().length, isOwn ? 1 : 0, text);
    await Deno.writeTextFile(record, text.slice(1));
    assertEquals((await test.open()).list(), []);
  }
});

Deno.test("BucketFolder counts the changes of a key, and orders keys by the bytes of UTF-8", async () => {
  await using test = await createBucket();
  const before = test.bucket.changeOf("\u{1f600}");
  await test.put("\u{1f600}");
  const put = test.bucket.changeOf("\u{1f600}");
  await test.put("\uffee"); // In UTF-16, this key would be the last.
  await test.bucket.delete("\u{1f600}", CLIENT);
  assertEquals([put > before, test.bucket.changeOf("\u{1f600}") > put], [true, true]);
  await test.put("\u{1f600}");
  assertEquals(test.bucket.list().map(({ key }) => key), ["\uffee", "\u{1f600}"]);
});

Deno.test("checkKey() refuses only keys that Amazon S3 refuses", () => {
  // The user guide of Amazon S3 has the paths with "videos".
  const valid = ["a", "a//b", "/", "videos/2014/../../video1.wmv", "a/..", "ü".repeat(512)];
  for (const key of valid) checkKey(key);
  const refused = ["", "..", "videos/../../video1.wmv", "videos/../../../a", "ü".repeat(513)];
  for (const key of refused) {
    assertThrows(() => checkKey(key), ObjectKeyError, "Cannot use the key");
  }
});

Deno.test("pathOf() never leaves the folder", () => {
  const part = fc.oneof(fc.constantFrom("..", ".", "", "/", "a", "\\", "\0"), fc.string());
  fc.assert(fc.property(fc.array(part).map((parts) => parts.join("/")), (key) => {
    const found = pathOf("/data/bucket", key);
    if (found === undefined) return;
    const path = relative("/data/bucket", found);
    assertEquals(path === "" || path.startsWith("..") && !/^\.\.[^/]/.test(path), false, path);
    assertEquals(isAbsolute(path), false);
  }));
});
