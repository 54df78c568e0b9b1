import { assertEquals } from "@std/assert";

const root = new URL("../", import.meta.url);

/** What the files of a folder may import, besides each other: folders, `npm:` and `node:` packages, or the package's public specifiers. */
const ARROWS: Record<string, readonly string[]> = {
  function: [],
  logger: [],
  gateway: ["function", "logger"],
  scheduler: ["function"],
  storage: ["function"],
  topic: ["function"],
  runtime: ["function", "logger"],
  cli: ["@mate/core", "npm:", "node:"],
  "examples/functions": ["@mate/core"],
};

/** Folders whose files may name nothing that one runtime alone has. */
const PORTABLE = ["function", "logger", "gateway", "scheduler", "storage", "topic"];

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly code?: { readonly specifier?: string };
    readonly isDynamic?: boolean;
  }[];
}

/** The module graph of some files, as `deno info` sees it. */
async function graphOf(files: readonly string[]): Promise<readonly Module[]> {
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
    return JSON.parse(new TextDecoder().decode(stdout)).modules;
  } finally {
    await Deno.remove(entry);
  }
}

/** The TypeScript files below a folder that anyone may import; private ones are in the graph where these need them. */
async function* sourcesOf(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(`${folder}/`, root))) {
    const path = `${folder}/${name}`;
    if (isDirectory && name !== "testdata") yield* sourcesOf(path);
    else if (/^[^_].*(?<!_test|_bench)\.ts$/.test(name)) yield path;
  }
}

const sources = new Map<string, string[]>();
for (const folder of Object.keys(ARROWS)) {
  sources.set(folder, await Array.fromAsync(sourcesOf(folder)));
}
const modules = await graphOf([...sources.values()].flat());

for (const [folder, targets] of Object.entries(ARROWS)) {
  Deno.test(`${folder}/ imports only ${targets.join(", ") || "itself"}`, () => {
    const strays: string[] = [];
    for (const module of modules) {
      if (!module.specifier.startsWith(new URL(`${folder}/`, root).href)) continue;
      for (const { specifier, code, isDynamic } of module.dependencies ?? []) {
        if (isDynamic && specifier.startsWith("node:")) continue; // loads nothing before it is needed
        const isAllowed = targets.some((target) => {
          if (target.endsWith(":")) return isPackage(specifier, code?.specifier, target);
          if (target.startsWith("@")) return specifier.startsWith(`${target}/`);
          return code?.specifier?.startsWith(new URL(`${target}/`, root).href);
        }) || (specifier.startsWith(".") &&
          code?.specifier?.startsWith(new URL(`${folder}/`, root).href));
        if (code && !isAllowed) {
          strays.push(`${module.specifier.slice(root.href.length)} imports ${specifier}`);
        }
      }
    }
    assertEquals(strays, []);
  });
}

function isPackage(specifier: string, resolved: string | undefined, scheme: string): boolean {
  return specifier.startsWith(scheme) || (resolved?.startsWith(scheme) ?? false);
}

Deno.test("the arrows between folders make no circle", () => {
  const visit = (folder: string, trail: readonly string[]): void => {
    assertEquals(trail.includes(folder), false, [...trail, folder].join(" → "));
    for (const target of ARROWS[folder] ?? []) visit(target, [...trail, folder]);
  };
  for (const folder of Object.keys(ARROWS)) visit(folder, []);
});

for (const folder of PORTABLE) {
  Deno.test(`${folder}/ names nothing that one runtime alone has`, async () => {
    for (const path of sources.get(folder)!) {
      const code = withoutComments(await Deno.readTextFile(new URL(path, root)));
      assertEquals(/\b(Deno|Bun)\./.exec(code)?.[0], undefined, path);
    }
  });
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
}
