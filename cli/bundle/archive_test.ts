import { assert, assertEquals, assertMatch } from "@std/assert";
import { findProgram } from "../platform/isolation/program.ts";
import { makeZip, makeZipOnce, writeFiles } from "./archive.ts";

const text = (value: string) => new TextEncoder().encode(value);
const FILES = [
  { path: "bootstrap", data: text("#!/bin/sh\n"), isExecutable: true },
  { path: "mate/net", data: text("a".repeat(1_000)) },
  { path: "empty", data: new Uint8Array() },
];

const unzip = await findProgram("unzip");
const zipinfo = await findProgram("zipinfo");
if (!unzip || !zipinfo) {
  console.error("NOT RUN: the tests that read zips, because unzip and zipinfo are not installed");
}

/** Runs a program on a zip of the files, and returns its output. */
async function look(program: string, args: string[]): Promise<string> {
  const file = await Deno.makeTempFile({ suffix: ".zip" });
  try {
    await Deno.writeFile(file, await makeZip(FILES));
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args: args.map((arg) => arg === "FILE" ? file : arg),
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(file);
  }
}

Deno.test("makeZip() makes the same bytes of the same files in any order", async () => {
  const bytes = await makeZip(FILES);
  await new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals(await makeZip([...FILES].reverse()), bytes);
});

Deno.test("makeZip() makes the same bytes in every time zone", async () => {
  const script = `import { makeZip } from ${JSON.stringify(new URL("archive.ts", import.meta.url))};
    const bytes = await makeZip([{ path: "a", data: new Uint8Array(3) }]);
    console.log(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex());`;
  const hashes = await Promise.all(
    ["UTC", "Pacific/Kiritimati", "America/St_Johns"].map(async (TZ) => {
      const { stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--no-lock", script],
        env: { TZ, NO_COLOR: "1" },
        cwd: new URL(".", import.meta.url),
      }).output();
      return new TextDecoder().decode(stdout);
    }),
  );
  assertMatch(hashes[0]!, /^[0-9a-f]{64}\n$/);
  assertEquals(new Set(hashes).size, 1);
});

Deno.test({
  name: "makeZip() sets the execute bit of executable files only",
  ignore: !zipinfo,
  async fn() {
    const lines = (await look(zipinfo!, ["FILE"])).split("\n").filter((line) => /^-/.test(line));
    assertEquals(lines.map((line) => [line.split(" ")[0], line.split(" ").at(-1)]), [
      ["-rwxr-xr-x", "bootstrap"],
      ["-rw-r--r--", "empty"],
      ["-rw-r--r--", "mate/net"],
    ]);
  },
});

Deno.test({
  name: "makeZip() makes an archive that unzip reads",
  ignore: !unzip,
  async fn() {
    assertMatch(await look(unzip!, ["-t", "FILE"]), /No errors detected/);
    assertEquals(await look(unzip!, ["-p", "FILE", "mate/net"]), "a".repeat(1_000));
  },
});

Deno.test({
  name: "writeFiles() makes folders and files that another user can read",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await writeFiles(`${folder}/x`, FILES);
      const modes = await Promise.all(["", "/bootstrap", "/mate", "/mate/net"].map(async (path) => {
        return ((await Deno.stat(`${folder}/x${path}`)).mode! & 0o777).toString(8);
      }));
      assertEquals(modes, ["755", "755", "755", "644"]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

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
