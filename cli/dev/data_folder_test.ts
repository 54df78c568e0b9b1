import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "node:path";
import { temporaryFolder } from "../../testdata/programs.ts";
import { Command, createApp } from "../testdata/command.ts";
import { openDataFolder, openOwnFolder, readAddress, writeAddress } from "./data_folder.ts";

Deno.test("openDataFolder() refuses a folder that is held, names the process, and takes the folder after its end", async () => {
  const path = join(temporaryFolder(), "data");
  {
    await using _first = await openDataFolder(path);
    const { message } = await assertRejects(() => openDataFolder(path), Error);
    assertEquals(
      message,
      `Cannot use the data folder "${path}": the process ${Deno.pid} runs a platform with it; end that process, or choose another folder with --data`,
    );
  }
  await using _second = await openDataFolder(path);
});

Deno.test("readAddress() returns only what the platform wrote that holds the folder", async () => {
  const path = temporaryFolder();
  const file = join(path, ".address");
  assertEquals(await readAddress(path), undefined);
  await Deno.writeTextFile(file, "http://of.a.clone/");
  assertEquals(await readAddress(path), undefined);
  {
    await using _folder = await openDataFolder(path);
    assertEquals(await readAddress(path), undefined);
    for (const address of ["http://127.0.0.1:1/", "http://127.0.0.1:2/"]) {
      await writeAddress(path, address);
      assertEquals(await readAddress(path), address);
    }
  }
  assertEquals(await readAddress(path), undefined);
  await assertRejects(() => Deno.stat(file), Deno.errors.NotFound);
});

Deno.test({
  name: "openDataFolder() says what to do if the user may not write there",
  ignore: Deno.build.os !== "linux", // There, nobody makes a folder in /sys.
  async fn() {
    const { message } = await assertRejects(() => openDataFolder("/sys/mate"), Error);
    assertEquals(
      message,
      'Cannot use the data folder "/sys/mate": this user may not write there; choose another folder with --data, or change the rights',
    );
  },
});

Deno.test("openOwnFolder() writes through no link that a clone has brought", async () => {
  for (const link of [".mate", ".mate/shop", ".mate/shop/.gitignore", ".mate/shop/.lock"]) {
    const folder = temporaryFolder();
    const victim = join(folder, "victim");
    const isFolder = !link.includes("shop/");
    if (isFolder) await Deno.mkdir(victim);
    else await Deno.writeTextFile(victim, "mine");
    await Deno.mkdir(join(folder, link, ".."), { recursive: true });
    await Deno.symlink(victim, join(folder, link));
    await assertRejects(() => openOwnFolder(folder, "shop"), Error, "it is a link");
    const left = isFolder
      ? await Array.fromAsync(Deno.readDir(victim), ({ name }) => name)
      : await Deno.readTextFile(victim);
    assertEquals(left, isFolder ? [] : "mine", link);
  }
});

Deno.test("mate dev keeps its data beside the manifest, alone, until it ends or is killed", async () => {
  const parent = temporaryFolder();
  await createApp(join(parent, "app"));
  const start = () => new Command(["--port", "0", "app/app.json"], parent);
  await using first = start();
  await first.find(/Ctrl-C/);
  assertEquals((await Deno.stat(join(parent, "app/.mate/greeter/buckets"))).isDirectory, true);
  await assertRejects(() => Deno.stat(join(parent, ".mate")), Deno.errors.NotFound);

  await using second = start();
  assertEquals(await second.status(), 1);
  assertMatch(
    await second.errors,
    new RegExp(
      `Cannot use the data folder "app/.mate/greeter": the process ${first.pid} runs a platform`,
    ),
  );

  first.kill("SIGKILL");
  await first.status();
  await using _third = await openDataFolder(join(parent, "app/.mate/greeter"));
});
