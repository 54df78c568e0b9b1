import { assertEquals, assertRejects } from "@std/assert";
import { makeZip } from "../bundle/archive.ts";
import { unzip } from "./unzip.ts";

Deno.test("unzip() takes one file out of a zip", async () => {
  const files = ["LICENSE.txt", "terraform", "z"].map((path) => ({
    path,
    data: new TextEncoder().encode(path.repeat(1_000)),
  }));
  const zip = await makeZip(files);
  for (const { path, data } of files) assertEquals(await unzip(zip, path), data, path);
  await assertRejects(() => unzip(zip, "tofu"), Error, "does not contain it");
});
