import { assertEquals, assertMatch } from "@std/assert";
import { run, temporaryFolder } from "../../testdata/programs.ts";
import { findProgram } from "../programs/find_program.ts";
import { makeZip, writeFiles } from "./archive.ts";

const text = (value: string) => new TextEncoder().encode(value);
const FILES = [
  { path: "bootstrap", data: text("#!/bin/sh\n"), isExecutable: true },
  { path: "mate/net", data: text("a".repeat(1_000)) },
  { path: "empty", data: new Uint8Array() },
];

const unzip = await findProgram("unzip");
if (!unzip) console.error("NOT RUN: the test that reads a zip, because unzip is not installed");

/** Runs unzip on a zip of the files, and returns its output. */
async function look(option: string, ...args: string[]): Promise<string> {
  const file = `${temporaryFolder()}/a.zip`;
  await Deno.writeFile(file, await makeZip(FILES));
  const { code, stdout, stderr } = await run(unzip!, [option, file, ...args]);
  assertEquals(code, 0, stderr);
  return stdout;
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
      const options = { env: { TZ, NO_COLOR: "1" }, cwd: import.meta.dirname! };
      return (await run(Deno.execPath(), ["eval", "--no-lock", script], options)).stdout;
    }),
  );
  assertMatch(hashes[0]!, /^[0-9a-f]{64}\n$/);
  assertEquals(new Set(hashes).size, 1);
});

Deno.test({
  name:
    "makeZip() makes an archive that unzip reads, with the execute bit of executable files only",
  ignore: !unzip,
  async fn() {
    assertMatch(await look("-t"), /No errors detected/);
    assertEquals(await look("-p", "mate/net"), "a".repeat(1_000));
    const lines = (await look("-Z")).split("\n").filter((line) => /^-/.test(line));
    assertEquals(lines.map((line) => [line.split(" ")[0], line.split(" ").at(-1)]), [
      ["-rwxr-xr-x", "bootstrap"],
      ["-rw-r--r--", "empty"],
      ["-rw-r--r--", "mate/net"],
    ]);
  },
});

Deno.test({
  name: "writeFiles() makes folders and files that another user can read",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = temporaryFolder();
    await writeFiles(`${folder}/x`, FILES);
    const modes = await Promise.all(["", "/bootstrap", "/mate", "/mate/net"].map(async (path) => {
      return ((await Deno.stat(`${folder}/x${path}`)).mode! & 0o777).toString(8);
    }));
    assertEquals(modes, ["755", "755", "755", "644"]);
  },
});
