import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import * as core from "./mod.ts";
import config from "./deno.json" with { type: "json" };

/** The modules that have an entry point of their own alone. */
const APART = ["client", "idempotency", "testing", "runtime"];

// `export *` leaves out, without a word, a name that two modules export.
Deno.test("the front door has all that the modules export", async () => {
  for (const [name, path] of Object.entries(config.exports)) {
    if (!path.endsWith("/mod.ts") || APART.includes(name.slice(2))) continue;
    const module = await import(import.meta.resolve(path));
    assert(Object.keys(module).length > 0, name);
    for (const [symbol, value] of Object.entries(module)) {
      assertStrictEquals((core as Record<string, unknown>)[symbol], value, `${name}: ${symbol}`);
    }
  }
});

Deno.test("importing the front door writes nothing, asks for nothing and leaves nothing behind", async () => {
  const code = `
    const before = Reflect.ownKeys(globalThis);
    await import(${JSON.stringify(import.meta.resolve("./mod.ts"))});
    const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key));
    if (added.length > 0) throw new Error(added.map(String).join());
  `;
  const program = `data:text/javascript,${encodeURIComponent(code)}`;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--no-prompt", "--allow-import", program],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  assertEquals(new TextDecoder().decode(stdout), "");
  assert(success);
});
