import { assertEquals } from "@std/assert";

const root = new URL("../", import.meta.url);

const PACKAGES = ["@mate/core", "npm:", "node:"];

/**
 * Reads lines of a room, a colon, and the rooms that its files may import. `packages` stands for all packages.
 * An indented line continues the line before it.
 */
function readTable(lines: string): Record<string, readonly string[]> {
  return Object.fromEntries(
    lines.trim().replaceAll(/\n +/g, " ").split("\n").map((line) => {
      const [room, ...targets] = line.split(/:? /);
      return [room, targets.flatMap((target) => target === "packages" ? PACKAGES : target)];
    }),
  );
}

/** The library loads nothing but itself and names nothing that only one runtime has. */
const LIBRARY = readTable(`
function
logger
gateway/errors
gateway/negotiation: function
gateway/event: function gateway/errors gateway/negotiation
gateway/response: function logger gateway/errors gateway/negotiation gateway/event
gateway: function logger gateway/errors gateway/negotiation gateway/event gateway/response
scheduler: function
storage: function
topic: function
testing: function logger
queue: function logger storage topic scheduler
`);

/**
 * The files that the files of a room may import: rooms, packages, and always their own room.
 *
 * A room is a folder or a file. A file belongs to the room with the longest matching path.
 */
const ROOMS: Record<string, readonly string[]> = {
  ...LIBRARY,
  ...readTable(`
runtime: function logger
mod.ts: function logger gateway scheduler storage topic queue
cli/arguments.ts: cli/manifest packages
cli/interruption.ts: packages
cli/manifest: packages
cli/platform/arn.ts
cli/platform/http.ts: packages
cli/platform/limits.ts
cli/platform/function_host.ts: cli/manifest
cli/platform/isolation: cli/platform/arn.ts cli/manifest packages
cli/platform/runtime_api: cli/platform/arn.ts cli/platform/http.ts cli/platform/function_host.ts
  cli/platform/limits.ts packages
cli/bundle: cli/interruption.ts cli/manifest cli/platform/isolation cli/platform/runtime_api packages
cli/platform: cli/arguments.ts cli/interruption.ts cli/manifest cli/bundle packages
  cli/platform/arn.ts cli/platform/http.ts cli/platform/function_host.ts cli/platform/isolation
  cli/platform/limits.ts cli/platform/runtime_api
cli/deploy: cli/arguments.ts cli/interruption.ts cli/manifest cli/bundle cli/platform/isolation packages
cli: cli/arguments.ts cli/interruption.ts cli/manifest cli/bundle cli/platform cli/deploy packages
examples: @mate/core npm:
`),
};

/** The folders that may import every room. */
const CHORES = ["benchmarks", "scripts", "testdata"];

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
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(
      entry,
      files.map((file) => `import ${JSON.stringify(new URL(file, root).href)};`).join("\n"),
    );
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", "--no-lock", "--config", new URL("deno.json", root).pathname, entry],
      env: { NO_COLOR: "1" },
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const imports = new Map<string, readonly Import[]>();
    for (
      const { specifier, dependencies } of JSON.parse(new TextDecoder().decode(stdout)).modules
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
  } finally {
    await Deno.remove(entry);
  }
}

/** The room of a file of the project, or `undefined` outside all rooms. */
function roomOf(file: string): string | undefined {
  return Object.keys(ROOMS)
    .filter((room) => file === room || file.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function isAllowed(room: string, { specifier, target, isDynamic }: Import): boolean {
  if (isDynamic && specifier.startsWith("node:")) return true; // loads nothing before it is needed
  const local = target.startsWith(root.href) ? roomOf(target.slice(root.href.length)) : undefined;
  if (specifier.startsWith(".") && local === room) return true;
  return ROOMS[room]!.some((allowed) => {
    if (allowed.startsWith("@")) return specifier.startsWith(allowed);
    if (allowed.endsWith(":")) return target.startsWith(allowed);
    return specifier.startsWith(".") && local === allowed;
  });
}

/** The first circle of a graph, or an empty array. */
function circleOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): string[] => {
    if (trail.includes(node)) return [...trail.slice(trail.indexOf(node)), node];
    if (done.has(node)) return [];
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...trail, node]);
      if (circle.length > 0) return circle;
    }
    done.add(node);
    return [];
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

const paths = [...Deno.readDirSync(root)]
  .filter(({ name, isDirectory }) => isDirectory ? !IGNORED.test(name) : name === "mod.ts")
  .map(({ name }) => name);
const sources = paths.flatMap((path) => [...sourcesOf(path)]);
const imports = await importsOf(sources);

Deno.test("every source file belongs to a room, and its imports are known", () => {
  const strangers = sources.filter((file) =>
    roomOf(file) === undefined && !CHORES.includes(file.split("/")[0]!)
  );
  assertEquals(strangers, []);
  assertEquals(sources.filter((file) => !imports.has(file)), []);
});

Deno.test("every file imports only the rooms that its own room may import", () => {
  const strays: string[] = [];
  for (const [file, all] of imports) {
    const room = roomOf(file);
    if (room === undefined) continue;
    for (const one of all) {
      if (!isAllowed(room, one)) strays.push(`${file} (${room}) imports ${one.specifier}`);
    }
  }
  assertEquals(strays, []);
});

Deno.test("ARCHITECTURE.md draws the arrows of the library", async () => {
  const text = await Deno.readTextFile(new URL("ARCHITECTURE.md", root));
  const drawn = [...text.matchAll(/^(.+) ─► (.+)$/gm)].flatMap(([, from, to]) =>
    from!.split(", ").map((room) => ({ room, targets: to!.split(", ") }))
  );
  for (const room of [...Object.keys(LIBRARY), "runtime", "mod.ts"]) {
    const targets = drawn.filter((arrow) => arrow.room === room).flatMap(({ targets }) => targets);
    assertEquals(targets.toSorted(), ROOMS[room]!.toSorted(), room);
  }
});

Deno.test("the rooms make no circle", () => {
  const graph = Object.entries(ROOMS).map(([room, targets]) =>
    [room, targets.filter((target) => Object.hasOwn(ROOMS, target))] as const
  );
  assertEquals(circleOf(new Map(graph)), []);
});

Deno.test("no files import each other in a circle", () => {
  const graph = new Map<string, string[]>();
  for (const [file, all] of imports) {
    graph.set(
      file,
      all.filter(({ target }) => target.startsWith(root.href))
        .map(({ target }) => target.slice(root.href.length)),
    );
  }
  assertEquals(circleOf(graph), []);
});

Deno.test("the library names no global that only one runtime has", async () => {
  const strays: string[] = [];
  for (const file of sources.filter((file) => Object.hasOwn(LIBRARY, roomOf(file) ?? ""))) {
    const code = withoutComments(await Deno.readTextFile(new URL(file, root)));
    const name = /\b(Deno|Bun)\./.exec(code)?.[0];
    if (name) strays.push(`${file}: ${name}`);
  }
  assertEquals(strays, []);
});

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
}
