import { assertEquals, assertMatch } from "@std/assert";
import { run, temporaryFolder } from "../../testdata/programs.ts";
import { findProgram } from "../programs/find_program.ts";
import { Kept } from "../programs/kept.ts";
import { joinZips, zipOnce } from "./zips.ts";

const unzip = await findProgram("unzip");
if (!unzip) {
  console.error("NOT RUN: the test that reads joined zips, because unzip is not installed");
}

Deno.test({
  name: "joinZips() makes one zip that unzip reads, and zipOnce() compresses a file only once",
  ignore: !unzip,
  async fn() {
    const folder = temporaryFolder();
    const kept = new Kept(() => {}, folder);
    let count = 0;
    const zip = (id: string, ...paths: string[]) =>
      zipOnce("zip", id, () => {
        count++;
        const files = paths.map((path) => ({
          path,
          data: new TextEncoder().encode(path.repeat(1_000)),
          isExecutable: path === "bin/deno",
        }));
        return Promise.resolve(files);
      }, kept);
    const join = async () =>
      joinZips(await zip("1", "bin/deno"), await zip("2", "b", "a"), await zip("3", "mate/c"));
    const joined = await join();
    const { pieces, files } = joined;
    assertEquals([await join(), count], [joined, 3]);
    assertEquals(files.map(({ size }) => size), [8_000, 6_000, 1_000, 1_000]);
    assertEquals(files.map(({ name }) => name), ["bin/deno", "mate/c", "b", "a"]);
    const file = `${folder}/all.zip`;
    await Deno.writeFile(file, ReadableStream.from(pieces));
    assertEquals([joined.zipped, joined.unzipped], [(await Deno.stat(file)).size, 16_000]);
    const look = async (option: string, ...args: string[]) => {
      const { code, stdout, stderr } = await run(unzip!, [option, file, ...args]);
      assertEquals(code, 0, stderr);
      return stdout;
    };
    assertMatch(await look("-t"), /No errors detected/);
    const lines = (await look("-Z")).split("\n").filter((line) => /^-/.test(line));
    assertEquals(lines.map((line) => [line.split(" ")[0], line.split(" ").at(-1)]), [
      ["-rwxr-xr-x", "bin/deno"],
      ["-rw-r--r--", "a"],
      ["-rw-r--r--", "b"],
      ["-rw-r--r--", "mate/c"],
    ]);
    assertEquals(await look("-p", "mate/c"), "mate/c".repeat(1_000));
  },
});
