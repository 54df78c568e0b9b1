/**
 * The loop of a maintainer. Without arguments, checks what differs from `main`: format, lint, types, the tests of the changed
 * rooms, the examples of the changed files, and the tests about the project itself. `check` checks the types of the named
 * rooms, or of everything.
 *
 * @module
 */
import { hintOf } from "../cli/manifest/nearest.ts";
import { run, succeed } from "../testdata/programs.ts";
import { FOLDERS, ROOT } from "./packages/metadata.ts";
import { testFlags } from "./std.ts";

/** The tests for every change: they compare the code, the docs and the lists of modules with each other. */
const ALWAYS = ["arrows", "docs", "modules", "tasks"].map((name) => `scripts/${name}_test.ts`);

const folderOf = (file: string) => file.slice(0, Math.max(0, file.lastIndexOf("/")));

/** The files that git knows or would add. */
async function filesIn(): Promise<string[]> {
  return await git("ls-files", "--cached", "--others", "--exclude-standard");
}

async function git(...args: readonly string[]): Promise<string[]> {
  const lines = (await succeed("git", args, { cwd: ROOT })).split("\n");
  return [...new Set(lines.filter((line) => line !== ""))];
}

/** The files that differ from the commit where this branch has left `main`. */
async function changedFiles(): Promise<string[]> {
  for (const name of ["main", "origin/main", "HEAD"]) {
    const { code, stdout } = await run("git", ["merge-base", "HEAD", name], { cwd: ROOT });
    if (code !== 0) continue;
    const tracked = await git("diff", "--name-only", "--diff-filter=d", stdout.trim());
    return [...tracked, ...await git("ls-files", "--others", "--exclude-standard")];
  }
  throw new Error("Cannot compare: git knows no commit");
}

/** Runs a command of Deno, and prints its result with its time. What it wrote follows if it failed. */
async function step(name: string, ...args: readonly string[]): Promise<boolean> {
  const start = performance.now();
  const env = { AWS_LAMBDA_LOG_LEVEL: "OFF" };
  const output = await new Deno.Command(Deno.execPath(), { args: [...args], cwd: ROOT, env })
    .output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) =>
    new TextDecoder().decode(bytes)
  );
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(`${output.success ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (!output.success) console.log(`${stdout}\n${stderr}`);
  return output.success;
}

/** Checks the types of rooms and files, or of everything. */
async function check(paths: readonly string[]): Promise<boolean> {
  const known = await filesIn();
  const rooms = [...new Set(known.filter((file) => file.endsWith(".ts")).map(folderOf))];
  for (const path of paths.map((path) => path.replace(/^\.\/|\/$/g, ""))) {
    if (known.some((file) => file === path || file.startsWith(`${path}/`))) continue;
    const hint = hintOf(path, rooms, "expected a folder such as gateway/response");
    console.error(`Unknown room "${path}": ${hint}`);
    return false;
  }
  const what = paths.length === 0 ? ["."] : paths;
  return await step(`types of ${what.join(" ")}`, "check", "--doc", ...await testFlags(), ...what);
}

async function quick(): Promise<boolean> {
  const changed = await changedFiles();
  const written = changed.filter((file) => /\.(ts|js|json|md|css|html|ya?ml)$/.test(file));
  if (written.length === 0) return console.log("Nothing differs from main") ?? true;
  const code = written.filter((file) => /\.(ts|js)$/.test(file));
  if (!await step("format", "fmt", "--check", ...written)) return false;
  if (code.length > 0 && !await step("lint", "lint", ...code)) return false;
  // The room of a helper is the room above. A room has its own files, not those of the rooms in it. A changed test is alone, as
  // are the files of these two folders, which have little in common.
  const isAlone = (file: string) => /^(scripts|benchmarks)\/|_test\.ts$/.test(file);
  const roomOf = (file: string) => folderOf(file).replace(/\/(testdata|browser)\b.*/, "");
  const rooms = [...new Set(code.filter((file) => !isAlone(file)).map(roomOf))];
  const beside = code.filter(isAlone).map((file) => file.replace(/(_test)?\.ts$/, "_test.ts"));
  const files = (await filesIn()).filter((file) =>
    file.endsWith(".ts") &&
    (code.includes(file) || beside.includes(file) || rooms.includes(folderOf(file)))
  );
  const tests = files.filter((file) =>
    file.endsWith("_test.ts") && (code.includes(file) || !file.endsWith("_long_test.ts"))
  );
  const examples = written.filter((file) =>
    file.endsWith(".md") ||
    (FOLDERS.some((name) => file.startsWith(`${name}/`)) && /^[^_]+$/.test(file))
  );
  const flags = await testFlags();
  const all = [...new Set([...ALWAYS, ...tests, ...examples])];
  const results = await Promise.all([
    step(
      `tests of ${["the docs", ...rooms.map((room) => room || "mod.ts")].join(", ")}`,
      "test",
      "-A",
      "--doc",
      "--no-check",
      "--parallel",
      ...flags,
      ...all,
    ),
    files.length === 0 || step(`types of ${files.length} files`, "check", ...flags, ...files),
  ]);
  return results.every(Boolean);
}

const [command, ...paths] = Deno.args;
if (!await (command === "check" ? check(paths) : quick())) Deno.exit(1);
