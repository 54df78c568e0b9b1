import { assertEquals } from "@std/assert";
import { dirname } from "node:path";
import { succeed, temporaryFolder } from "../testdata/programs.ts";

const root = new URL("../", import.meta.url);

const architecture = await Deno.readTextFile(new URL("ARCHITECTURE.md", root));

/** The targets that the files of each room may import, beside their own room: other rooms and `packages`. */
const rooms = new Map<string, string[]>();
for (const [, from, to] of architecture.matchAll(/^(.+) ─► (.+)$/gm)) {
  const targets = to!.split(", ");
  for (const room of targets.filter(isRoom)) if (!rooms.has(room)) rooms.set(room, []);
  const sources = from === "every room of cli"
    ? [...rooms.keys()].filter((room) => room.startsWith("cli"))
    : from === "every other room of cli"
    ? [...rooms.keys()].filter((room) => room.startsWith("cli") && !targets.includes(room))
    : from!.split(", ");
  for (const room of sources) {
    rooms.set(room, [...rooms.get(room) ?? [], ...targets.filter((target) => target !== room)]);
  }
}

function isRoom(target: string): boolean {
  return !["packages", "every room"].includes(target);
}

const WRITE = "Write these lines below the last heading of ARCHITECTURE.md";

/** Hidden folders, and the folders that the tasks make. */
const IGNORED = /^\.|^(node_modules|npm|dist|coverage|site)$/;

interface Import {
  readonly specifier: string;
  /** The URL that the specifier stands for. */
  readonly target: string;
  readonly isDynamic: boolean;
}

/** The TypeScript files of a folder or file, without tests and the files that only tests use. */
function* sourcesOf(path: string): Generator<string> {
  if (path.endsWith(".ts")) {
    if (!/(_test|_bench|\.d)\.ts$/.test(path)) yield path;
    return;
  }
  for (const { name, isDirectory } of Deno.readDirSync(new URL(path, root))) {
    if (isDirectory ? name !== "testdata" : name.endsWith(".ts")) {
      yield* sourcesOf(`${path}/${name}`);
    }
  }
}

/** The imports of each file, as `deno info` sees them; type imports count too. */
async function importsOf(files: readonly string[]): Promise<Map<string, readonly Import[]>> {
  const entry = `${temporaryFolder()}/entry.ts`;
  await Deno.writeTextFile(
    entry,
    files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};`).join("\n"),
  );
  const config = new URL("deno.json", root).pathname;
  const args = ["info", "--json", "--no-lock", "--config", config, entry];
  const stdout = await succeed(Deno.execPath(), args, { env: { NO_COLOR: "1" } });
  const imports = new Map<string, readonly Import[]>();
  for (
    const { specifier, dependencies } of JSON.parse(stdout).modules
  ) {
    const file = specifier.slice(root.href.length);
    if (!specifier.startsWith(root.href) || !files.includes(file)) continue;
    imports.set(
      file,
      (dependencies ?? []).map(({ specifier, code, type, isDynamic = false }: {
        specifier: string;
        code?: { specifier?: string };
        type?: { specifier?: string };
        isDynamic?: boolean;
      }) => ({ specifier, target: code?.specifier ?? type?.specifier ?? specifier, isDynamic })),
    );
  }
  return imports;
}

/** The room of a file: the room with the longest matching path, or `undefined` if no room matches. */
function findRoom(file: string): string | undefined {
  return [...rooms.keys()]
    .filter((room) => file === room || file.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** The folders of files, or a file beside them, each with an arrow. */
const arrowsOf = (files: readonly string[]) => [
  ...new Set(files.map((file) => `${file.includes("/") ? dirname(file) : file} ─► …`)),
];

function isAllowed(room: string, { specifier, target, isDynamic }: Import): boolean {
  const targets = rooms.get(room)!;
  if (targets.includes("every room")) return true;
  if (target.endsWith("/deno.json")) return true; // the name and the version of a package
  if (specifier.startsWith(".")) {
    const other = findRoom(target.slice(root.href.length));
    return other !== undefined && [room, ...targets].includes(other);
  }
  if (isDynamic && specifier.startsWith("node:")) return true; // loads nothing before it is needed
  return targets.includes("packages") && /^(@mate\/core|npm:|node:)/.test(
    specifier.startsWith("@mate/core") ? specifier : target,
  );
}

/** The nodes of a graph that are in a circle or lead to one. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(graph);
  for (let size = -1; size !== left.size;) {
    size = left.size;
    for (const [node, targets] of left) {
      if (!targets.some((target) => left.has(target))) left.delete(node);
    }
  }
  return [...left.keys()];
}

const paths = [...Deno.readDirSync(root)]
  .filter(({ name, isDirectory }) => isDirectory ? !IGNORED.test(name) : name === "mod.ts")
  .map(({ name }) => name);
const sources = paths.flatMap((path) => [...sourcesOf(path)]);
const imports = await importsOf(sources);

Deno.test("every source file belongs to a room, and its imports are known", () => {
  assertEquals(arrowsOf(sources.filter((file) => findRoom(file) === undefined)), [], WRITE);
  assertEquals(sources.filter((file) => !imports.has(file)), []);
});

Deno.test("every folder of the tool is a room", () => {
  const isRoomless = (file: string) => /^cli\/.+\//.test(file) && !rooms.has(dirname(file));
  assertEquals(arrowsOf(sources.filter(isRoomless)), [], WRITE);
});

Deno.test("every file imports only the rooms that its own room may import", () => {
  const strays: string[] = [];
  for (const [file, all] of imports) {
    const room = findRoom(file);
    if (room === undefined) continue; // the first test says so
    for (const one of all) {
      if (!isAllowed(room, one)) strays.push(`${file} (${room}) imports ${one.specifier}`);
    }
  }
  assertEquals(strays, [], "Import what the arrows of ARCHITECTURE.md allow, or add to them");
});

Deno.test("the rooms make no circle", () => {
  assertEquals(circlesOf(rooms), []);
});

Deno.test("folders beside each other make no circle", () => {
  const folders = new Map<string, string[]>();
  for (const [file, all] of imports) {
    for (const { target } of all) {
      const [from, to] = [file, target.replace(root.href, "")].map((path) => path.split("/"));
      const shared = from!.findIndex((part, index) => part !== to![index]);
      const [own, other] = [from!, to!].map((parts) => parts.slice(0, shared + 1).join("/"));
      if (!target.startsWith(root.href) || own!.endsWith(".ts") || other!.endsWith(".ts")) continue;
      folders.set(own!, [...folders.get(own!) ?? [], other!]);
      if (!folders.has(other!)) folders.set(other!, []);
    }
  }
  assertEquals(circlesOf(folders), []);
});

Deno.test("no files import each other in a circle", () => {
  const graph = [...imports].map(([file, all]) =>
    [file, all.map(({ target }) => target.replace(root.href, ""))] as const
  );
  assertEquals(circlesOf(new Map(graph)), []);
});

/** The globals that only some runtimes have, in the files that read them from `globalThis` if they are there. */
const RUNTIME_GLOBALS: Readonly<Record<string, readonly string[]>> = {
  "function/bytes.ts": ["Buffer", "process"],
  "gateway/response/zlib_codecs.ts": ["process"],
  "gateway/response/content_encoding.ts": ["Deno"],
  "gateway/response/stream_response.ts": ["awslambda"],
  "logger/record.ts": ["Deno", "process"],
  "logger/request_id.ts": ["awslambda", "process"],
  "logger/state.ts": ["Deno", "process"],
  "runtime/host.ts": ["Deno", "process"],
  "runtime/source_map.ts": ["process"],
  "testing/queue_event.ts": ["process"],
  "web/listen.ts": ["Deno"],
  "web/node_server.ts": ["process"],
  "web/process.ts": ["Deno"],
};

Deno.test("the library reads the globals of one runtime from globalThis, and only in known files", async () => {
  const found: Record<string, string[]> = {};
  const isLibrary = (file: string) => rooms.get(findRoom(file)!)?.every(isRoom);
  for (const file of sources.filter(isLibrary).toSorted()) {
    const code = withoutComments(await Deno.readTextFile(new URL(file, root)));
    const reads = code.matchAll(
      /\bglobalThis\.(\w+)|\{ (\w+)[^}]*\} = globalThis\b(?!\.)|"(\w+)" in globalThis\b|\b(Deno|Bun)\./g,
    );
    const names = [...reads].map((match) => match.slice(1).find((name) => name !== undefined)!)
      .filter((name) => /^(Deno|Bun|Buffer|process|awslambda)$/.test(name));
    if (names.length > 0) found[file] = [...new Set(names)].toSorted();
    const bare = /(?<!globalThis\.)\b(?:Deno|Bun)\./.exec(code)?.[0];
    assertEquals(bare, undefined, file);
  }
  assertEquals(
    found,
    RUNTIME_GLOBALS,
    "Change RUNTIME_GLOBALS of scripts/arrows_test.ts, or the code",
  );
});

function withoutComments(source: string): string {
  return source.replaceAll(/^\s*\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
}
