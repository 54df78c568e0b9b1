import { assertEquals, assertMatch } from "@std/assert";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { makeOwnedFolder } from "./owned_folder.ts";

/** Makes a folder in a process that is killed then. Returns the path of the folder. */
async function makeInKilledProcess(parent: string): Promise<string> {
  const module = new URL("owned_folder.ts", import.meta.url);
  const program = `
    const { makeOwnedFolder } = await import(${JSON.stringify(module)});
    const { path } = await makeOwnedFolder(${JSON.stringify(parent)});
    await Deno.mkdir(path + "/closed");
    await Deno.writeTextFile(path + "/closed/file", "x");
    await Deno.chmod(path + "/closed", 0);
    console.log(path);
    Deno.kill(Deno.pid, "SIGKILL");`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", program],
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

const list = (folder: string) =>
  Array.fromAsync(Deno.readDir(folder), ({ name }) => name).then((names) => names.sort());

Deno.test({
  name: "makeOwnedFolder() removes the folders of processes that were killed, and no others",
  ignore: Deno.build.os === "windows",
  async fn() {
    const parent = temporaryFolder();
    const elsewhere = temporaryFolder();
    await Deno.writeTextFile(`${elsewhere}/kept`, "");
    const others = ["mate-1-folder", "other.lock"];
    for (const name of others) await Deno.mkdir(`${parent}/${name}`);
    await using alive = await makeOwnedFolder(parent);
    const killed = await makeInKilledProcess(parent);
    assertMatch(killed, /\/mate-\d+-[0-9a-f-]{36}$/);
    assertEquals((await Deno.stat(killed)).isDirectory, true, "nobody has removed it");
    const link = `mate-1-${crypto.randomUUID()}`;
    await Deno.symlink(elsewhere, `${parent}/${link}`);
    await Deno.writeTextFile(`${parent}/${link}.lock`, "");
    {
      await using next = await makeOwnedFolder(parent);
      const own = [alive.path, next.path].map((path) => path.slice(parent.length + 1));
      const expected = [...others, link, ...own, ...own.map((name) => `${name}.lock`)];
      assertEquals(await list(parent), expected.sort());
      assertEquals(await list(elsewhere), ["kept"]);
    }
    assertEquals((await list(parent)).length, 5, "a folder that was disposed of is gone");
  },
});

Deno.test("makeOwnedFolder() keeps the locks of folders that are made at the same time", async () => {
  const parent = temporaryFolder();
  const folders: Awaited<ReturnType<typeof makeOwnedFolder>>[] = [];
  // Each maker looks for leftovers while the others lock their files.
  await Promise.all(Array.from({ length: 8 }, async () => {
    for (let count = 0; count < 5; count++) folders.push(await makeOwnedFolder(parent));
  }));
  const expected = folders.flatMap(({ path }) => [path, `${path}.lock`]);
  assertEquals(await list(parent), expected.map((path) => path.slice(parent.length + 1)).sort());
  await Promise.all(folders.map((folder) => folder[Symbol.asyncDispose]()));
  assertEquals(await list(parent), []);
});
