import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { S3 } from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { checkAnswers } from "../../cli/testdata/contract.ts";
import { FILES, startTestPlatform } from "../../cli/testdata/platform.ts";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { mate } from "../../cli/testdata/command.ts";
import { until } from "../../testdata/waiting.ts";

const MANIFEST = JSON.stringify({
  name: "app",
  stage: "v0",
  functions: {
    created: {
      module: "one.ts",
      triggers: { buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }] },
    },
  },
});

/** Makes an application beside a home folder that has a key. */
async function makeClone() {
  const made = await makeApp({
    "home/.ssh/id": "SECRET",
    "app/one.ts": "export const handler = () => 1;",
    "app/app.json": MANIFEST,
  }, {});
  const [home, app] = [join(made.folder, "home"), join(made.folder, "app")];
  return {
    app,
    home,
    data: join(app, ".mate", "app"),
    /** Puts a link into the clone. A running platform may make the folder of a bucket again before the link is there. */
    async link(path: string, target = home) {
      await Deno.mkdir(join(app, path, ".."), { recursive: true });
      await until("the link", async () => {
        await Deno.remove(join(app, path), { recursive: true }).catch(() => {});
        return await Deno.symlink(target, join(app, path)).then(() => true, (error) => {
          if (error instanceof Deno.errors.AlreadyExists) return false;
          throw error;
        });
      });
    },
    /** Fails if anything of the home folder has changed. */
    async check(what: string) {
      const files = await Array.fromAsync(Deno.readDir(home), ({ name }) => name);
      const keys = await Array.fromAsync(Deno.readDir(join(home, ".ssh")), ({ name }) => name);
      assertEquals([...files, ...keys], [".ssh", "id"], what);
      assertEquals(await Deno.readTextFile(join(home, ".ssh", "id")), "SECRET", what);
    },
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

Deno.test("no link of a clone below .mate leads to a file of the developer", async () => {
  const folders = [
    ".mate/app",
    ".mate/app/buckets",
    ".mate/app/buckets/files",
    ".mate/app/buckets/.records",
    ".mate/app/buckets/.records/files",
    ".mate/app/tables.db",
    ".mate/app/tables.db-wal",
  ];
  for (const path of folders) {
    await using clone = await makeClone();
    await clone.link(path);
    const start = startTestPlatform(() => "{}", { data: clone.data });
    await assertRejects(() => start, Error, `${path}": it is a link`);
    await clone.check(path);
  }
  const files = [".mate", ".mate/app", ".mate/app/.gitignore"];
  for (const path of files) {
    await using clone = await makeClone();
    await clone.link(path, join(clone.home, path === ".mate/app/.gitignore" ? ".ssh/id" : ""));
    const { code, stderr } = await mate(["dev", "--port", "0"], { cwd: clone.app });
    assertEquals(code, 1);
    assertStringIncludes(stderr, `${path}": it is a link, which may lead to other files of yours`);
    await clone.check(path);
  }
});

Deno.test("no record of a clone, and no link that comes later, leads to a file of the developer", async () => {
  await using clone = await makeClone();
  const name = crypto.randomUUID();
  const store = ".mate/app/buckets/.records/files";
  await clone.link(`${store}/${name}`, join(clone.home, ".ssh", "id"));
  const record = { key: "key", size: 6, etag: "0", modified: 1 };
  const digest = (key: string) => createHash("sha256").update(key).digest("hex");
  const contents = [name, "../../../../../../home/.ssh/id", join(clone.home, ".ssh/id")];
  for (const [index, content] of contents.entries()) {
    const path = join(clone.app, store, `${digest(`key${index}`)}.json`);
    const isHidden = true;
    const text = JSON.stringify({ ...record, key: `key${index}`, content, isHidden });
    await Deno.writeTextFile(path, text);
  }
  await using test = await startTestPlatform(() => "{}", { data: clone.data });
  const s3 = checkAnswers(new S3(test.clientConfig()));
  const Bucket = FILES;
  const outcome = (work: Promise<unknown>) => work.then(() => "done", ({ name }) => name);
  assertEquals((await s3.listObjectsV2({ Bucket })).Contents, undefined);
  for (const index of contents.keys()) {
    assertEquals(await outcome(s3.getObject({ Bucket, Key: `key${index}` })), "NoSuchKey");
  }
  await s3.putObject({ Bucket, Key: ".ssh/id", Body: "mine" });
  await clone.link(".mate/app/buckets/files"); // Now the key names the file of the developer.
  await s3.putObject({ Bucket, Key: ".ssh/id", Body: "other" });
  const { Body } = await s3.getObject({ Bucket, Key: ".ssh/id" });
  assertEquals(await Body!.transformToString(), "other");
  await clone.check("the folder of the bucket");
  const [{ name: content }] = [...Deno.readDirSync(join(clone.app, store))]
    .filter(({ isFile, name }) => isFile && !name.includes(".")) as [Deno.DirEntry];
  await clone.link(`${store}/${content}`, join(clone.home, ".ssh", "id"));
  assertEquals(await outcome(s3.getObject({ Bucket, Key: ".ssh/id" })), "InternalError");
  await clone.link(store);
  assertEquals(await outcome(s3.putObject({ Bucket, Key: "a", Body: "a" })), "InternalError");
  assertEquals(await outcome(s3.deleteObject({ Bucket, Key: ".ssh/id" })), "InternalError");
  await clone.check("the store");
  s3.destroy();
});
