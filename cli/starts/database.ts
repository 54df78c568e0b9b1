import { DatabaseSync } from "node:sqlite";
import { MachineError } from "./warm_start.ts";

type Row = Record<string, null | number | bigint | string | Uint8Array>;
type Tables = Readonly<Record<string, readonly Row[]>>;

const INFO = "CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT NOT NULL)";

/** The databases in `DENO_DIR`, with the exact statements by which Deno makes their tables. */
const SCHEMAS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v8_code_cache_v2: {
    info: INFO,
    codecache: "CREATE TABLE codecache (specifier TEXT NOT NULL,type INTEGER NOT NULL," +
      "source_hash INTEGER NOT NULL,data BLOB NOT NULL,PRIMARY KEY (specifier, type))",
  },
  dep_analysis_cache_v2: {
    info: INFO,
    moduleinfocache: "CREATE TABLE moduleinfocache (specifier TEXT PRIMARY KEY," +
      "media_type INTEGER NOT NULL,source_hash INTEGER NOT NULL,module_info TEXT NOT NULL)",
  },
  node_analysis_cache_v2: {
    info: INFO,
    cjsanalysiscache: "CREATE TABLE cjsanalysiscache (specifier TEXT PRIMARY KEY," +
      "source_hash INTEGER NOT NULL,data TEXT NOT NULL)",
  },
};

/** A file is not a database with a known schema. */
export class UnknownSchemaError extends MachineError {}

/**
 * Reads a cache database. The database is untrusted. So it is opened read-only, and none of its statements is executed. It may
 * have only the tables of Deno, no views and no triggers.
 *
 * @param columns What is read of tables; everything by default.
 * @throws {UnknownSchemaError} If the file is missing, is a link, or has another schema.
 */
function readTables(
  file: string,
  schema: Readonly<Record<string, string>>,
  columns: Readonly<Record<string, string>> = {},
): Tables {
  try {
    if (!Deno.lstatSync(file).isFile) throw new TypeError("expected a regular file");
    using database = new DatabaseSync(file, { readOnly: true, timeout: 1_000 });
    database.exec("PRAGMA trusted_schema = OFF");
    const entries = database.prepare("SELECT name, sql FROM sqlite_master").all()
      .filter(({ name }) => !/^sqlite_(autoindex|stat)/.test(String(name)));
    const isKnown = entries.length === Object.keys(schema).length &&
      entries.every(({ name, sql }) => schema[String(name)] === sql);
    if (!isKnown) throw new TypeError("unknown schema");
    return Object.fromEntries(
      Object.keys(schema).map((name) => {
        const statement = database.prepare(`SELECT ${columns[name] ?? "*"} FROM ${name}`);
        statement.setReadBigInts(true); // the hashes have 64 bits
        return [name, statement.all() as Row[]];
      }),
    );
  } catch (error) {
    const name = file.slice(file.lastIndexOf("/") + 1);
    const message = `cannot read Deno's cache "${name}": ${(error as Error).message}`;
    throw new UnknownSchemaError(message, { cause: error });
  }
}

/** Lists the modules with compiled code in a `DENO_DIR`. The list is empty until Deno has made the table. */
export function compiledSpecifiers(folder: string): string[] {
  try {
    const { codecache } = readTables(`${folder}/v8_code_cache_v2`, SCHEMAS.v8_code_cache_v2!, {
      codecache: "specifier", // The code has megabytes.
    });
    return codecache!.map(({ specifier }) => String(specifier));
  } catch (error) {
    if (error instanceof UnknownSchemaError) return [];
    throw error;
  }
}

/**
 * Copies the caches of a `DENO_DIR` into new databases that Deno can use in a read-only folder. The same rows make the same
 * bytes.
 *
 * In such a folder, SQLite needs a `-wal` and a `-shm` file beside the database. Empty files are enough. The database must be
 * analyzed, because otherwise Deno's `PRAGMA optimize` tries to write.
 *
 * @param work An empty folder for the new databases.
 * @throws {UnknownSchemaError} If the Deno that made the caches has another schema.
 */
export function copyCaches(source: string, work: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    writeTables(`${work}/${name}`, schema, readTables(`${source}/${name}`, schema));
    files.set(name, Deno.readFileSync(`${work}/${name}`));
    files.set(`${name}-shm`, new Uint8Array());
    files.set(`${name}-wal`, new Uint8Array());
  }
  return files;
}

function writeTables(file: string, schema: Readonly<Record<string, string>>, tables: Tables): void {
  using database = new DatabaseSync(file);
  database.exec(
    "PRAGMA synchronous = OFF; PRAGMA page_size = 4096; PRAGMA journal_mode = MEMORY; BEGIN",
  );
  for (const [name, sql] of Object.entries(schema)) {
    database.exec(sql);
    for (const row of tables[name]!.toSorted((a, b) => keyOf(a) < keyOf(b) ? -1 : 1)) {
      const values = Object.values(row);
      database.prepare(`INSERT INTO ${name} VALUES (${values.map(() => "?").join(", ")})`)
        .run(...values);
    }
  }
  database.exec("ANALYZE; COMMIT; PRAGMA journal_mode = WAL");
}

/** The primary key of a row: its first column, and the type of code if there is one. */
function keyOf(row: Row): string {
  return `${Object.values(row)[0]} ${row.type ?? ""}`;
}
