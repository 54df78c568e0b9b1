import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { Command, createApp, greet, manifest } from "../testdata/command.ts";

Deno.test("the command runs an application, reloads it and stops", async (t) => {
  for (const mode of [[], ["--in-process"]]) {
    await t.step(`${mode[0] ?? "in sandboxes"}`, async () => {
      const folder = await createApp();
      const data = join(folder, "data");
      const app = join(folder, "app.json");
      await using command = new Command([...mode, "--port", "0", "--data", data, app]);
      const [, base] = await command.find(/^greeter is running\n[^]*Base URL {4}(\S+)\n[^]*Ctrl-C/);
      assertStringIncludes(command.output, `curl '${base}/hello'`);
      assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello");

      await Deno.writeTextFile(join(folder, "hello.ts"), greet("Hello again"));
      await command.find(/platform {5}Reloaded hello\n/);
      assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello again");

      await Deno.writeTextFile(app, "{");
      await command.find(/platform {5}ERROR Cannot read the manifest /);
      assertEquals(await (await fetch(`${base}/hello`)).text(), "Hello again");

      await Deno.writeTextFile(app, manifest("/greet"));
      await command.find(new RegExp(`[^]*Reloaded "[^]*curl '${base}/greet'`));
      const [greeting, gone] = await Promise.all([fetch(`${base}/greet`), fetch(`${base}/hello`)]);
      assertEquals([await greeting.text(), gone.status], ["Hello again", 403]);
      await gone.body?.cancel();

      command.kill("SIGINT");
      assertEquals([await command.status(), await command.errors], [0, ""]);
      await Deno.remove(folder, { recursive: true });
    });
  }
});

Deno.test("the command ignores files that no function uses, and reports a fault once", async () => {
  const folder = await createApp();
  const module = join(folder, "hello.ts");
  await using command = new Command([
    "--port",
    "0",
    "--data",
    join(folder, "data"),
    join(folder, "app.json"),
  ]);
  await command.find(/Stop with Ctrl-C/);
  await Deno.writeTextFile(module, "export const handler = (");
  await command.find(/Cannot bundle the function "hello"/);
  // As a log of the command does that is written to the folder, by a redirect or by tee.
  for (let i = 0; i < 3; i++) {
    await Deno.writeTextFile(join(folder, "notes.txt"), `${i}`);
    await new Promise((resolve) => setTimeout(resolve, 400)); // longer than changes are waited for
  }
  await Deno.writeTextFile(module, greet("Hello"));
  await command.find(/Reloaded hello\n/);
  assertEquals(command.output.match(/Cannot bundle|Reloaded/g), ["Cannot bundle", "Reloaded"]);
  command.kill("SIGINT");
  assertEquals(await command.status(), 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the command keeps objects in .mate unless it is told otherwise, and stops on SIGTERM", async () => {
  const folder = await createApp();
  await using command = new Command(["--in-process", "--port", "0", "app.json"], folder);
  await command.find(/Stop with Ctrl-C/);
  assertEquals(
    (await Deno.stat(join(folder, ".mate", "greeter", "buckets", "files"))).isDirectory,
    true,
  );
  command.kill("SIGTERM");
  assertEquals(await command.status(), 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the command names a function file that is not there", async () => {
  const folder = await createApp();
  const app = join(folder, "app.json");
  await Deno.writeTextFile(app, manifest("/hello", "missing.ts"));
  await using command = new Command(["--port", "0", "--data", join(folder, "data"), app]);
  assertEquals(await command.status(), 1);
  assertStringIncludes(await command.errors, "missing.ts");
  await Deno.remove(folder, { recursive: true });
});
