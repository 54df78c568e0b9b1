import { DatabaseSync } from "node:sqlite";

type Row = Record<string, null | number | bigint | string | Uint8Array>;

/** One table of one of Deno's cache databases. */
interface Table {
  readonly name: string;
  readonly sql: string;
  readonly rows: readonly Row[];
}

/**
 * Reads what a cache database holds; another process may be writing to it.
 *
 * @param file The database.
 * @returns Its tables, without what SQLite keeps for itself.
 */
function readTables(file: string): Table[] {
  using database = new DatabaseSync(file, { timeout: 1_000 });
  const tables = database.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
  ).all() as unknown as { name: string; sql: string }[];
  return tables.map(({ name, sql }) => {
    const statement = database.prepare(`SELECT * FROM "${name}"`);
    statement.setReadBigInts(true); // the hashes have 64 bits
    return { name, sql, rows: statement.all() as Row[] };
  });
}

/** The cache databases in a folder that is a `DENO_DIR`. */
async function databasesOf(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile && /_cache_v\d+$/.test(name)) names.push(name);
  }
  return names.sort();
}

/**
 * What a `DENO_DIR` has compiled code of.
 *
 * @param folder The `DENO_DIR`.
 * @returns The specifiers; none while there is no cache yet.
 */
export async function compiledSpecifiers(folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = await databasesOf(folder);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  return names.filter((name) => name.startsWith("v8_code_cache")).flatMap((name) =>
    readTables(`${folder}/${name}`).flatMap(({ rows }) =>
      rows.map(({ specifier }) => specifier).filter((value) => typeof value === "string")
    )
  );
}

/**
 * Writes the caches of a `DENO_DIR` anew, in a form that can be used where nothing can be written: the same content makes
 * the same bytes.
 *
 * SQLite opens such a database only beside a `-wal` and a `-shm` file (empty ones do), and Deno's `PRAGMA optimize` wants
 * to write unless the database has been analyzed.
 *
 * @param source The `DENO_DIR` that was warmed up.
 * @param rename What becomes of each specifier.
 * @returns The files for the new `DENO_DIR`, by name.
 */
export async function rewriteCaches(
  source: string,
  rename: (specifier: string) => string,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const work = await Deno.makeTempDir({ prefix: "mate-cache-" });
  try {
    for (const name of await databasesOf(source)) {
      writeTables(`${work}/${name}`, readTables(`${source}/${name}`), rename);
      files.set(name, await Deno.readFile(`${work}/${name}`));
      files.set(`${name}-shm`, new Uint8Array());
      files.set(`${name}-wal`, new Uint8Array());
    }
  } finally {
    await Deno.remove(work, { recursive: true });
  }
  return files;
}

function writeTables(
  file: string,
  tables: readonly Table[],
  rename: (specifier: string) => string,
): void {
  using database = new DatabaseSync(file);
  database.exec("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL");
  for (const { name, sql, rows } of tables) {
    database.exec(sql);
    const renamed = rows.map((row) => {
      const { specifier } = row;
      return typeof specifier === "string" ? { ...row, specifier: rename(specifier) } : row;
    });
    for (const row of renamed.sort((a, b) => compare(keyOf(a), keyOf(b)))) {
      const values = Object.values(row);
      database.prepare(`INSERT INTO "${name}" VALUES (${values.map(() => "?").join(", ")})`)
        .run(...values);
    }
  }
  database.exec("ANALYZE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
}

/** What tells rows apart: their first column, and the type of code for the same specifier. */
function keyOf(row: Row): string {
  return `${Object.values(row)[0]} ${row.type ?? ""}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
