import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { isAbsolute, join, relative } from "node:path";
import { BucketFolder, type ObjectChange } from "./bucket_folder.ts";
import { ObjectKeyError, pathOf } from "./object_key.ts";

const CLIENT = { sourceIp: "127.0.0.1" };

async function* content(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** Makes a bucket in a temporary folder. */
async function createBucket() {
  const root = await Deno.makeTempDir();
  const folder = join(root, "bucket");
  const changes: ObjectChange[] = [];
  const bucket = new BucketFolder(folder, join(root, "uploads"), (change) => changes.push(change));
  await bucket.scan(false);
  return {
    bucket,
    folder,
    reported: () => changes.splice(0).map(({ eventName, key }) => `${eventName} ${key}`),
    put: (key: string, text = "Hello") => bucket.put(key, content(text), CLIENT),
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
  await test.bucket.scan(true);
  assertEquals(test.reported(), ["ObjectCreated:Put .put", "ObjectCreated:Put gone"]);
  await Deno.remove(join(test.folder, "gone"));
  assertEquals(await test.bucket.open("gone"), undefined, "before the next scan");
  await Deno.writeTextFile(join(test.folder, ".put"), "changed");
  await test.bucket.scan(true);
  const removed = "ObjectRemoved:DeleteMarkerCreated gone";
  assertEquals(test.reported(), ["ObjectCreated:Put .put", removed]);
  await test.bucket.scan(true);
  assertEquals(test.reported(), []);
});

Deno.test("BucketFolder follows no link out of its folder", async () => {
  await using test = await createBucket();
  const outside = join(test.folder, "..", "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "secret"), "secret");
  await Deno.symlink(outside, join(test.folder, "folder"));
  await Deno.symlink(join(outside, "new"), join(test.folder, "file"));
  for (const key of ["folder/secret", "folder/a/b", "file"]) {
    await assertRejects(() => test.put(key), ObjectKeyError, "a link is in it");
    await assertRejects(() => test.bucket.open(key), ObjectKeyError, "a link is in it");
    await assertRejects(() => test.bucket.delete(key, CLIENT), ObjectKeyError, "a link is in it");
  }
  assertEquals(await Array.fromAsync(Deno.readDir(outside), ({ name }) => name), ["secret"]);
  assertEquals(await Deno.readTextFile(join(outside, "secret")), "secret");
});

Deno.test("BucketFolder deletes an object without a file, and passes on other errors", async () => {
  await using test = await createBucket();
  await test.put("a");
  await Deno.remove(join(test.folder, "a"));
  await test.bucket.delete("a", CLIENT);
  await test.put("b");
  await Deno.remove(join(test.folder, "b"));
  await Deno.mkdir(join(test.folder, "b", "full"), { recursive: true });
  await assertRejects(() => test.bucket.delete("b", CLIENT));
  await Deno.remove(join(test.folder, "b"), { recursive: true });
  await test.put("b", "again");
  const created = "ObjectCreated:Put";
  assertEquals(test.reported(), [
    `${created} a`,
    "ObjectRemoved:DeleteMarkerCreated a",
    `${created} b`,
    `${created} b`,
  ]);
});

Deno.test("pathOf() never leaves the folder", () => {
  const part = fc.oneof(fc.constantFrom("..", ".", "", "/", "a", "\\", "\0"), fc.string());
  fc.assert(fc.property(fc.array(part).map((parts) => parts.join("/")), (key) => {
    try {
      const path = relative("/data/bucket", pathOf("/data/bucket", key));
      assertEquals(path === "" || path.startsWith("..") && !/^\.\.[^/]/.test(path), false, path);
      assertEquals(isAbsolute(path), false);
    } catch (error) {
      if (!(error instanceof ObjectKeyError)) throw error;
    }
  }));
});
