/**
 * Runs tests: `run_tests.ts [--all] [FLAG …] [PATH …]`. The paths are rooms or files, and everything unless given. The flags are
 * those of `deno test`, with a value after `=`, such as `--filter=routes`. With `--doc`, the examples of the documentation below the
 * paths run, too; `.` names all of them, and no test. Only with `--check` are types checked. The long tests run
 * with `--all`, or if a path names them or their folder. With `--all` and no path, all examples run.
 *
 * Deno takes half a second of processor for each module of tests, so up to eight files of one room are one module here.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { hintOf } from "../cli/manifest/nearest.ts";
import { testFlags } from "./std.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The attacks, models, recordings and other proofs that take long. */
const LONG = /^scripts\/(attacks|models|recordings)\/|_long_test\.ts$/;

/** How many files are one module at most. A module runs on one processor. */
const SIZE = 8;

/** Whether a file changes what all modules of a program share: the environment, functions of Deno, the logger. */
const isAlone = (file: string) =>
  file.startsWith("logger/") ||
  /\/(own_environment|own_effects|testdata\/drive)\.ts"/.test(Deno.readTextFileSync(file));

/** The room of a file, such as `gateway` or `cli/aws`. Each folder of `scripts/` is one. */
const roomOf = (file: string) => /^(cli\/[^/]+|scripts\/.*|[^/]+)\//.exec(file)?.[1] ?? "";

function* testsIn(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder || ".")) {
    const path = folder + name;
    if (isDirectory) {
      const isOwn = !name.startsWith(".") && name !== "node_modules";
      if (isOwn && !config.exclude.includes(path)) yield* testsIn(`${path}/`);
    } else if (name.endsWith("_test.ts")) yield path;
  }
}

Deno.chdir(ROOT);
const args = Deno.args.filter((arg) => arg !== "--all");
const flags = args.filter((arg) => arg.startsWith("-"));
const paths = args.filter((arg) => !arg.startsWith("-")).map((path) =>
  path.replace(/^\.\/|\/$/g, "")
);
const all = [...testsIn("")];
for (const path of paths) {
  if (existsSync(path)) continue;
  const hint = hintOf(
    path,
    [...new Set(all.map(dirname))],
    "expected one such as gateway/response",
  );
  console.error(`Unknown room "${path}": ${hint}`);
  Deno.exit(1);
}
const isTaken = (file: string) => Deno.args.includes("--all") || !LONG.test(file);
const files = paths.length === 0
  ? all.filter(isTaken)
  : all.filter((file) =>
    paths.some((path) =>
      file === path || file.startsWith(`${path}/`) && (isTaken(file) || LONG.test(`${path}/`))
    )
  );

await Deno.mkdir(".mate", { recursive: true });
const folder = await Deno.makeTempDir({ dir: ".mate", prefix: "tests-" });
// Those that are alone come first, because many of them take long.
const groups = Map.groupBy(
  [...files.filter(isAlone), ...files.filter((file) => !isAlone(file)).toSorted()],
  (file) => isAlone(file) ? file : roomOf(file),
);
const modules: string[] = [];
for (const [room, members] of groups) {
  for (let start = 0; start < members.length; start += SIZE) {
    const module = `${folder}/${room.replaceAll(/[/.]/g, "_")}_${start}.ts`;
    const imports = members.slice(start, start + SIZE).map((file) =>
      `import ${JSON.stringify(new URL(`../${file}`, import.meta.url).href)};\n`
    );
    await Deno.writeTextFile(module, imports.join(""));
    modules.push(module);
  }
}
Deno.addSignalListener("SIGINT", () => {}); // `deno test` gets it, too, and the modules are removed after its end
const isEverything = paths.length === 0 && Deno.args.includes("--all");
const documents = !flags.includes("--doc") ? [] : isEverything ? ["."] : paths;
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    ...["test", "-A", "--parallel", "--ignore=**/*_test.ts"],
    ...(flags.includes("--check") ? [] : ["--no-check"]),
    ...[...flags, ...await testFlags(), ...modules, ...documents],
  ],
  env: {
    AWS_LAMBDA_LOG_LEVEL: "OFF",
    // Two for each processor, because most tests wait for other programs.
    DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(2 * navigator.hardwareConcurrency),
  },
}).spawn().status;
await Deno.remove(folder, { recursive: true });
Deno.exit(code);
