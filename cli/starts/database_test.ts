import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { until } from "../../testdata/waiting.ts";
import { compiledSpecifiers, copyCaches, UnknownSchemaError } from "./database.ts";

const NAMES = ["dep_analysis_cache_v2", "node_analysis_cache_v2", "v8_code_cache_v2"];

/** A `DENO_DIR` that this Deno fills by running a module, and an empty folder beside it. */
async function makeDenoDir() {
  const folder = temporaryFolder();
  await Deno.mkdir(`${folder}/copy`);
  await Deno.writeTextFile(`${folder}/one.mjs`, "console.log(1);");
  // Deno may end before it has made all its tables. From its second start on, SQLite has statistics in tables of its own.
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  await until("the databases of Deno", async () => {
    const env = { DENO_DIR: `${folder}/deno` };
    await succeed(Deno.execPath(), ["run", "--no-config", `${folder}/one.mjs`], { env });
    return NAMES.every((name) => {
      using database = new DatabaseSync(`${folder}/deno/${name}`);
      return database.prepare(tables).all().length === 2;
    });
  });
  return { folder, denoDir: `${folder}/deno`, copy: `${folder}/copy` };
}

Deno.test("copyCaches() copies the rows of the databases that this Deno makes", async () => {
  const { folder, denoDir, copy } = await makeDenoDir();
  const files = copyCaches(denoDir, copy);
  assertEquals(
    [...files.keys()].sort(),
    NAMES.flatMap((name) => [name, `${name}-shm`, `${name}-wal`]),
  );
  assertEquals(compiledSpecifiers(copy), compiledSpecifiers(denoDir));
  assertEquals(compiledSpecifiers(copy).includes(`file://${folder}/one.mjs`), true);
});

Deno.test("copyCaches() makes the same bytes of the same rows in any order", async () => {
  const rows = [["file:///b.js", 0], ["file:///a.js", 1], ["file:///a.js", 0]] as const;
  const copies = await Promise.all([rows, rows.toReversed()].map(async (order) => {
    const parts = await makeDenoDir();
    {
      using database = new DatabaseSync(`${parts.denoDir}/v8_code_cache_v2`);
      database.exec("DELETE FROM codecache");
      const insert = database.prepare("INSERT INTO codecache VALUES (?, ?, 1, x'00')");
      for (const row of order) insert.run(...row);
    }
    return copyCaches(parts.denoDir, parts.copy).get("v8_code_cache_v2");
  }));
  assertEquals(copies[0], copies[1]);
});

Deno.test("copyCaches() refuses a database with another schema, and executes none of its text", async () => {
  for (
    const attack of [
      "CREATE TABLE other (x)",
      "CREATE VIEW other AS SELECT 1",
      "CREATE TRIGGER other AFTER INSERT ON codecache BEGIN SELECT 1; END",
      "DROP TABLE codecache; CREATE VIEW codecache AS SELECT 1 AS specifier",
      "DROP TABLE codecache; CREATE TABLE codecache (specifier, more)",
    ]
  ) {
    const parts = await makeDenoDir();
    {
      using database = new DatabaseSync(`${parts.denoDir}/v8_code_cache_v2`);
      database.exec(attack);
    }
    assertThrows(() => copyCaches(parts.denoDir, parts.copy), UnknownSchemaError, "", attack);
  }
});

Deno.test("copyCaches() executes no SQL in place of the statement of a table", async () => {
  for (const isAfter of [false, true]) {
    const { folder, denoDir, copy } = await makeDenoDir();
    const victim = `${folder}/victim`;
    const file = `${denoDir}/v8_code_cache_v2`;
    {
      using database = new DatabaseSync(file);
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    // SQLite itself writes no such text, so overwrite the bytes of the statement.
    const text = new TextDecoder("latin1").decode(await Deno.readFile(file));
    const statement = /CREATE TABLE codecache [^)]*\)\)/.exec(text)![0];
    const attack = (isAfter ? "CREATE TABLE codecache (a,b);" : "") +
      `ATTACH'${victim}'AS v;CREATE TABLE v.t(x)`;
    const changed = text.replace(statement, attack.padEnd(statement.length));
    assertEquals(changed.length, text.length);
    await Deno.writeFile(file, Uint8Array.from(changed, (character) => character.charCodeAt(0)));
    assertThrows(() => copyCaches(denoDir, copy), UnknownSchemaError);
    assertThrows(() => Deno.statSync(victim), Deno.errors.NotFound);
  }
});

Deno.test("copyCaches() follows no link to a file of the developer", async () => {
  const { folder, denoDir, copy } = await makeDenoDir();
  await Deno.rename(`${denoDir}/v8_code_cache_v2`, `${folder}/private`);
  await Deno.symlink(`${folder}/private`, `${denoDir}/v8_code_cache_v2`);
  assertThrows(() => copyCaches(denoDir, copy), UnknownSchemaError);
});

Deno.test("compiledSpecifiers() finds no module before Deno has made the database", () => {
  assertEquals(compiledSpecifiers("/nowhere"), []);
});
