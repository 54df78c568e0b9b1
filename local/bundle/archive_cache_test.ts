import { assertEquals } from "@std/assert";
import { makeZip } from "./archive.ts";
import { makeZipOnce } from "./archive_cache.ts";

const text = (value: string) => new TextEncoder().encode(value);
const files = (a: string, isExecutable = false) => [
  { path: "a", data: text(a), isExecutable },
  { path: "b", data: text("b") },
];

Deno.test("makeZipOnce() makes an archive once, and another of other files", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const archives = [files("1"), files("1").reverse(), files("2"), files("1", true)];
    for (const item of archives) assertEquals(await makeZipOnce(item, folder), await makeZip(item));
    const kept = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assertEquals(kept.filter((name) => name.endsWith(".zip")).length, 3);
    assertEquals(kept.length, 6, "nothing half-written is left");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("makeZipOnce() takes what it kept, unless that was damaged", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const data = await makeZipOnce(files("1"), folder);
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    const file = `${folder}/${names.find((name) => name.endsWith(".zip"))}`;
    const before = (await Deno.stat(file)).ino;
    await makeZipOnce(files("1"), folder);
    assertEquals((await Deno.stat(file)).ino, before);
    await Deno.writeTextFile(file, "damaged");
    assertEquals(await makeZipOnce(files("1"), folder), data);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
