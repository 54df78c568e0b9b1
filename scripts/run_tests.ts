/**
 * Runs tests: `run_tests.ts [--all] [FLAG …] [PATH …]`. The paths are rooms or files, and everything unless given. The flags are
 * those of `deno test`, with a value after `=`, such as `--filter=routes`. With `--doc`, the examples of the documentation below the
 * paths run, too; `.` names all of them, and no test. Only with `--check` are types checked. The long tests run
 * with `--all`, or if a path names them or their folder. With `--all` and no path, all examples run.
 *
 * Deno takes 0.4 s of processor for each module of tests before it runs any of them. So up to 16 files are one module here. A long
 * file is a module of its own.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { hintOf } from "../cli/manifest/nearest.ts";
import { noProxyHere } from "../cli/programs/find_program.ts";
import { testFlags } from "./std.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The attacks, models, recordings and other proofs that take long. */
const LONG = /^scripts\/(attacks|models|recordings)\/|_long_test\.ts$/;

/** How many files are one module at most. A module runs on one processor. */
const SIZE = 16;

/**
 * Names what a file changes of all that the files of its module share: the environment, functions of Deno, the logger. Only files
 * with the same name are one module. Those that begin with a new logger are alone.
 */
function changedBy(file: string): string {
  const [, name = ""] =
    /\/(own_environment|own_effects|drive)\.ts"/.exec(Deno.readTextFileSync(file)) ?? [];
  if (file.startsWith("logger/")) return name === "" ? "logger" : file;
  return name;
}

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
// In this order, the tests of the runtime, which take long, are not the last ones.
const groups = Map.groupBy(
  files.toSorted().reverse(),
  (file) => LONG.test(file) ? file : changedBy(file),
);
const modules: string[] = [];
// The small groups come first: they are long files, and files that take long.
for (
  const [name, members] of [...groups].toSorted(([, one], [, other]) => one.length - other.length)
) {
  for (let start = 0; start < members.length; start += SIZE) {
    const module = `${folder}/${name.replaceAll(/[/.]/g, "_") || "tests"}_${start}.ts`;
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
    NO_PROXY: noProxyHere(),
    // Three for two processors, because most tests wait for other programs. With four, all together take longer.
    DENO_JOBS: Deno.env.get("DENO_JOBS") ?? `${Math.ceil(navigator.hardwareConcurrency * 1.5)}`,
  },
}).spawn().status;
await Deno.remove(folder, { recursive: true });
Deno.exit(code);
