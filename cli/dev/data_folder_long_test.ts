import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { openDataFolder, readAddress } from "./data_folder.ts";

Deno.test("openDataFolder() takes a folder again at once, while the process starts programs", async () => {
  // Until a new process runs its program, it has a copy of each open file, which would keep the lock.
  const path = temporaryFolder();
  let isOver = false;
  const start = async () => {
    while (!isOver) await new Deno.Command(Deno.execPath(), { args: ["--version"] }).output();
  };
  const starting = Array.from({ length: 6 }, start);
  try {
    for (let round = 0; round < 200; round++) {
      await using _folder = await openDataFolder(path);
      assertEquals(await readAddress(path), undefined);
    }
    for (let round = 0; round < 200; round++) {
      assertEquals(await readAddress(path), undefined);
      await using _folder = await openDataFolder(path);
    }
  } finally {
    isOver = true;
    await Promise.all(starting);
  }
});
