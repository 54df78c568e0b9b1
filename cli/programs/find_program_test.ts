import { assertEquals } from "@std/assert";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";
import { findProgram, ignorePrograms, noProxyHere, programFolders } from "./find_program.ts";

Deno.test("findProgram() takes the first executable file in PATH", async () => {
  const folder = temporaryFolder();
  for (const [name, mode] of [["a", 0o644], ["b", 0o755], ["c", 0o755]] as const) {
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(`${folder}/${name}/tool`, "");
    await Deno.chmod(`${folder}/${name}/tool`, mode);
  }
  const path = `relative:${folder}/none:${folder}/a:${folder}/b:${folder}/c`;
  assertEquals(await findProgram("tool", path), `${folder}/b/tool`);
  assertEquals(await findProgram("other", path), undefined);
});

Deno.test("programFolders() has no folder of a package or an application, and none that is relative", async () => {
  const root = temporaryFolder();
  const [app, other] = [`${root}/app`, `${root}/application`];
  for (const folder of [`${app}/bin`, `${other}/bin`, `${root}/node_modules/.bin`]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  await Deno.symlink(`${root}/node_modules`, `${root}/packages`);
  await Deno.symlink(app, `${root}/link`);
  await Deno.symlink(`${other}/bin`, `${app}/out`);
  ignorePrograms(`${root}/link`);
  const ignored = [
    ...["", ".", "bin", "node_modules/.bin", app, `${app}/bin`, `${root}/link/bin`, `${app}/out`],
    ...[
      `${other}/../app/bin`,
      `${root}/node_modules/.bin`,
      `${root}/packages/.bin`,
      `${root}/none`,
    ],
  ];
  const path = [...ignored, `${other}/bin`, root].join(":");
  assertEquals(programFolders(path), [`${other}/bin`, root]);
});

Deno.test("prepare() looks a name up in programFolders(), and starts the program with them as PATH", async () => {
  const root = temporaryFolder();
  const bin = `${root}/node_modules/.bin`;
  await Deno.mkdir(bin, { recursive: true });
  await Deno.writeTextFile(`${bin}/sh`, "#!/bin/sh\necho evil\n", { mode: 0o755 });
  await Deno.writeTextFile(`${bin}/only-here`, "#!/bin/sh\necho evil\n", { mode: 0o755 });
  // In its own process, because tests that run side by side share the environment.
  const module = new URL("find_program.ts", import.meta.url);
  const program = `import { prepare } from "${module}";
    const { stdout } = await prepare("sh", { args: ["-c", "echo $PATH"] }).output();
    const other = await Promise.try(() => prepare("only-here").output()).catch(({ name }) => name);
    console.log(new TextDecoder().decode(stdout).trim(), other);`;
  await Deno.writeTextFile(`${root}/program.ts`, program);
  const args = ["run", "-A", "--no-config", "--quiet", `${root}/program.ts`];
  const output = await succeed(Deno.execPath(), args, { env: { PATH: `${bin}:/usr/bin:/bin` } });
  assertEquals(output, "/usr/bin:/bin NotFound\n");
});

Deno.test({
  name: "prepareApart() starts a session, also without the right to run setsid",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const module = new URL("find_program.ts", import.meta.url);
    const program = `import { findProgram, prepareApart } from "${module}";
      const args = ["-c", "exec cat /proc/$$/stat"];
      const child = (await prepareApart(await findProgram("sh"), { args, stdout: "piped" })).spawn();
      const [pid, , , , group, session] = (await new Response(child.stdout).text()).split(" ");
      console.log([child.pid, pid, group, session].join(" "));`;
    const folder = temporaryFolder();
    await Deno.writeTextFile(`${folder}/program.ts`, program);
    for (const run of [undefined, await findProgram("sh")]) {
      const permissions = [
        "--allow-read",
        "--allow-env",
        run ? `--allow-run=${run}` : "--allow-run",
      ];
      const args = ["run", ...permissions, "--no-config", "--quiet", `${folder}/program.ts`];
      const [child, ...found] = (await succeed(Deno.execPath(), args)).trim().split(" ");
      assertEquals(found, [child, child, child], run);
    }
  },
});

Deno.test("every program of the tool starts by prepare()", async () => {
  const sources: string[] = [];
  const visit = async (folder: URL) => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory && name !== "testdata") await visit(new URL(`${name}/`, folder));
      if (!/(?<!_test)\.ts$/.test(name)) continue;
      const text = await Deno.readTextFile(new URL(name, folder));
      if (/Deno\.Command\(|node:child_process/.test(text)) sources.push(name);
    }
  };
  await visit(new URL("../", import.meta.url));
  // The processes of the bundler and of the relay start a program by its path. Their own PATH is that of prepare().
  const expected = ["find_program.ts", "graph.ts", "own_network.ts", "typescript.ts"];
  assertEquals(sources.sort(), expected);
});

Deno.test("noProxyHere() adds the names of this machine that are missing", () => {
  for (
    const [given, expected] of [
      ["", "localhost,127.0.0.1,::1"],
      ["corp.example, 127.0.0.1", "corp.example,127.0.0.1,localhost,::1"],
      ["*", "*,localhost,127.0.0.1,::1"],
    ] as const
  ) assertEquals(noProxyHere(given), expected);
});
