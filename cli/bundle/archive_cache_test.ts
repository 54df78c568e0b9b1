import { assertEquals } from "@std/assert";
import { makeZip } from "./archive.ts";
import { makeZipOnce } from "./archive_cache.ts";

const text = (value: string) => new TextEncoder().encode(value);
const files = (a: string, isExecutable = false) => [
  { path: "a", data: text(a), isExecutable },
  { path: "b", data: text("b") },
];

Deno.test("makeZipOnce() makes another archive of other files, whatever their order", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const archives = [files("1"), files("1").reverse(), files("2"), files("1", true)];
    for (const item of archives) {
      assertEquals(await makeZipOnce(item, folder, "x86_64"), await makeZip(item));
    }
    const kept = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assertEquals(kept.filter((name) => name.endsWith(".zip")).length, 3);
    assertEquals(kept.length, 6, "nothing half-written is left");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("makeZipOnce() makes a kept archive again only if it is damaged", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const data = await makeZipOnce(files("1"), folder, "x86_64");
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    const file = `${folder}/${names.find((name) => name.endsWith(".zip"))}`;
    const before = (await Deno.stat(file)).ino;
    await makeZipOnce(files("1"), folder, "x86_64");
    assertEquals((await Deno.stat(file)).ino, before);
    await Deno.writeTextFile(file, "damaged");
    assertEquals(await makeZipOnce(files("1"), folder, "x86_64"), data);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("makeZipOnce() keeps the latest three archives of a kind, and all other files", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await makeZipOnce(files("other"), folder, "arm64");
    await Deno.writeTextFile(`${folder}/deno-1.2.3.tgz`, "another file");
    for (const content of ["1", "2", "3", "4", "5"]) {
      await makeZipOnce(files(content), folder, "x86_64");
      for await (const { name } of Deno.readDir(folder)) {
        const { mtime } = await Deno.stat(`${folder}/${name}`);
        // As if this was written so many minutes before the next.
        await Deno.utime(`${folder}/${name}`, mtime!, new Date(mtime!.getTime() - 60_000));
      }
    }
    const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    const count = (start: string) => names.filter((name) => name.startsWith(start)).length;
    assertEquals([count("zip-x86_64-"), count("zip-arm64-"), count("deno-")], [6, 2, 1]);
    for (const content of ["3", "4", "5"]) await makeZipOnce(files(content), folder, "x86_64");
    const after = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assertEquals(after.sort(), names.sort(), "the latest three were kept");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
