import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import "../../testdata/own_environment.ts";
import { makeDenoPackage, serve } from "../testdata/bundle.ts";
import { findEngine } from "./find_engine.ts";
import { temporaryFolder } from "../../testdata/programs.ts";

Deno.test("findEngine() refuses a package with another checksum, and keeps nothing", async () => {
  const cache = temporaryFolder();
  await using server = serve(() => new Response("evil"));
  const source = { system: "linux-x86_64", cache, registry: server.url };
  const { message } = await assertRejects(() => findEngine(source)) as Error;
  assertMatch(message, /"@dynoxide\/linux-x64@.*\bkB of text\/plain with another checksum;/);
  assertEquals([...Deno.readDirSync(cache)], []);
});

Deno.test("findEngine() compares the program in the cache before every run, and gets a changed one anew", async () => {
  const { tarball, package_ } = await makeDenoPackage([["package/dynoxide", "good"]]);
  const packages = { test: { ...package_, path: "dynoxide" } };
  await using server = serve(() => new Response(tarball));
  const cache = `${temporaryFolder()}/mate`;
  const find = () => findEngine({ system: "test", cache, registry: server.url, packages });
  const path = await find();
  for (const text of ["evil", "good"]) {
    await Deno.writeTextFile(path, text, { mode: 0o755 });
    assertEquals([await find(), await Deno.readTextFile(path)], [path, "good"]);
  }
  assertEquals((await Deno.stat(path)).mode! & 0o777, 0o755);
});

Deno.test("findEngine() says what to do on a system without a package", async () => {
  const { message } = await assertRejects(() =>
    findEngine({ system: "darwin-aarch64", path: "" })
  ) as Error;
  assertEquals(
    message,
    "Cannot run tables on darwin-aarch64: no package of the engine is pinned for it. Install Dynoxide 1.2.1 " +
      '(https://github.com/nubo-db/dynoxide) in the PATH, or remove "tables" from the manifest',
  );
  const path = temporaryFolder();
  await Deno.writeTextFile(`${path}/dynoxide`, "", { mode: 0o755 });
  assertEquals(await findEngine({ system: "darwin-aarch64", path }), `${path}/dynoxide`);
});
