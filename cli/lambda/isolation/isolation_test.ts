import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { findProgram } from "../../programs/find_program.ts";
import { type Isolation, makeTmp, plainFolders } from "./isolation.ts";
import { hasNamespace, isolation } from "../../testdata/sandbox.ts";
import { copyDeno, temporaryFolder } from "../../../testdata/programs.ts";
import { until } from "../../../testdata/waiting.ts";

/** Runs a shell script in an isolation. Returns its output. */
async function run(isolation: Isolation, script: string, environment: Record<string, string> = {}) {
  const parent = temporaryFolder();
  await Deno.chmod(parent, 0o755);
  const folder = `${parent}/a b#\\040 c`; // The table of the mounts must escape this.
  await Deno.mkdir(folder);
  for (const name of ["task", "layer"]) {
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(`${folder}/${name}/${name}.txt`, name);
  }
  await Deno.writeTextFile(`${folder}/task/libcap-ng.so.0`, "a broken library of setpriv");
  const { path, options } = isolation.command(
    { task: `${folder}/task`, layer: `${folder}/layer`, tmp: await makeTmp(folder) },
    ["/bin/sh", "-c", script],
    environment,
  );
  const { stdout, stderr } = await new Deno.Command(path, { ...options, stdin: "null" }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

Deno.test({
  name: "a namespace has the folders of AWS Lambda, read-only, and a private /tmp",
  ignore: !hasNamespace,
  async fn() {
    const mark = `/tmp/mate-isolation-test-${crypto.randomUUID()}`;
    const output = await run(
      isolation!,
      `cat /var/task/task.txt; echo; cat /opt/layer.txt; echo; pwd
      for file in /var/task/x /opt/x /var/x; do (echo x > $file) 2>/dev/null && echo "wrote $file"; done
      echo x > ${mark} && cat ${mark}; ls -A /tmp | wc -l`,
    );
    assertEquals(output.split(/\s+/), ["task", "layer", "/var/task", "x", "1", ""]);
    assertEquals(await Deno.stat(mark).catch((error) => error.name), "NotFound");
  },
});

Deno.test({
  name: "a namespace has the user of AWS Lambda, no privileges, and only the given variables",
  ignore: !hasNamespace,
  async fn() {
    const output = await run(
      isolation!,
      "id -u; id -g; grep -E 'CapEff|NoNewPrivs' /proc/self/status; env",
      { PATH: "/usr/bin:/bin", ONE: "1 $x 'y'", LANG: "en_US.UTF-8", LD_LIBRARY_PATH: "/var/task" },
    );
    assertMatch(output, /^993\n990\nCapEff:\t0+\nNoNewPrivs:\t1\n/);
    const names = output.split("\n").slice(4, -1).map((line) => line.split("=")[0]);
    assertEquals(
      names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name!)).sort(),
      ["LANG", "LD_LIBRARY_PATH", "ONE", "PATH"],
      "without the variables that a shell sets",
    );
    assert(output.includes("ONE=1 $x 'y'\n"));
  },
});

Deno.test({
  name: "a namespace shares no memory, semaphore or message queue with other programs",
  ignore: !hasNamespace,
  async fn() {
    const output = await run(isolation!, "readlink /proc/self/ns/ipc");
    assertMatch(output, /^ipc:\[\d+\]\n$/);
    assertNotEquals(output.trim(), await Deno.readLink("/proc/self/ns/ipc"));
  },
});

Deno.test({
  name: "an unprivileged user gets a namespace as well",
  ignore: !hasNamespace || Deno.uid() !== 0 || await findProgram("setpriv") === undefined,
  async fn() {
    const folder = temporaryFolder();
    await Deno.chmod(folder, 0o755);
    await copyDeno(`${folder}/deno`);
    const [script, bundle] = [`${folder}/script.js`, `${folder}/bundle.js`];
    await Deno.writeTextFile(
      script,
      `import { detectIsolation, letFunctionsIn } from ${
        JSON.stringify(new URL("isolation.ts", import.meta.url))
      };
      console.log((await detectIsolation()).kind);
      const folder = await Deno.makeTempDir();
      await letFunctionsIn(folder);
      console.log((await Deno.stat(folder)).mode & 0o777);
      await Deno.remove(folder);`,
    );
    const bundling = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--quiet", "--no-lock", "-o", bundle, script],
    }).output();
    assert(bundling.success, new TextDecoder().decode(bundling.stderr));
    const { stdout, stderr } = await new Deno.Command("setpriv", {
      args: ["--reuid=65534", "--regid=65534", "--clear-groups", `${folder}/deno`, "run", "-A"]
        .concat("--no-config", bundle),
      cwd: folder, // The other user may have no access to the folder of this process.
      env: { HOME: "/tmp", DENO_DIR: "/tmp/nobody-deno", PATH: Deno.env.get("PATH")! },
      clearEnv: true,
    }).output();
    const [kind, mode] = new TextDecoder().decode(stdout).trim().split("\n");
    assertEquals(mode, `${0o700}`, "no other user may enter a folder of the platform");
    if (kind === "plain folders") {
      console.error("NOT RUN: the user namespace, which this machine does not allow");
    } else assertEquals(kind, "user namespace", new TextDecoder().decode(stderr));
  },
});

Deno.test("plain folders have only the given variables, and a description with the reason", async () => {
  const plain = plainFolders("there is no reason");
  assertMatch(plain.description, /of Node\.js do not limit the network\); there is no reason,/);
  const output = await run(plain, "cat task.txt; echo; env", { ONE: "1" });
  const lines = output.split("\n").filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line));
  assertEquals(lines, ["task", "ONE=1", ""]);
});

Deno.test({
  name: "a PATH that leads to few programs is enough, and one without unshare is told",
  ignore: !hasNamespace,
  async fn() {
    const folder = temporaryFolder();
    await Deno.symlink((await findProgram("unshare"))!, `${folder}/unshare`);
    const module = new URL("isolation.ts", import.meta.url);
    const code = `import { detectIsolation } from ${JSON.stringify(module)};
      console.log((await detectIsolation()).description);`;
    for (
      const [path, expected] of [[folder, isolation!.description], [
        "/",
        '"unshare" is not installed',
      ]] as const
    ) {
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["eval", "--quiet", code],
        env: { PATH: path },
      }).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      assertStringIncludes(decode(stdout), expected, decode(stderr));
    }
  },
});

Deno.test({
  name: "a namespace gets no file or folder that the caller of the tool has left open",
  ignore: !hasNamespace || await findProgram("bash") === undefined,
  async fn() {
    const leaking: Isolation = {
      ...isolation!,
      command(...given) {
        const { path, options } = isolation!.command(...given);
        const script = 'exec 3</ 9</ 10</ 123</; exec "$@"';
        return {
          path: "/bin/bash",
          options: { ...options, args: ["-c", script, "bash", path, ...options.args!] },
        };
      },
    };
    const output = await run(leaking, "echo /proc/$$/fd/*", { PATH: "/usr/bin:/bin" });
    assertMatch(output, /^(\/proc\/\d+\/fd\/[0-3]\s)+$/); // The shell opens a folder to list it.
  },
});

Deno.test({
  name: "a machine that has another system at /mnt makes namespaces as well",
  ignore: isolation?.kind !== "root namespace",
  async fn() {
    const module = new URL("isolation.ts", import.meta.url);
    const code = `import { detectIsolation } from ${JSON.stringify(module)};
      console.log((await detectIsolation()).kind);`;
    const script = `mount -t tmpfs tmpfs /mnt
      mkdir /mnt/proc
      mount -t proc proc /mnt/proc
      exec "$@"`;
    const { stdout, stderr } = await new Deno.Command("unshare", {
      args: ["--mount", "--propagation", "private", "/bin/sh", "-e", "-c", script, "sh"]
        .concat(Deno.execPath(), "eval", "--quiet", code),
    }).output();
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    assertEquals(decode(stdout), "root namespace\n", decode(stderr));
  },
});

Deno.test({
  name: "no process of a namespace is left behind if its program ends at once, or cannot start",
  ignore: !hasNamespace,
  async fn() {
    const folder = temporaryFolder();
    await Deno.chmod(folder, 0o755);
    const start = async (_: unknown, index: number) => {
      const isWhole = index % 2 === 0;
      const task = isWhole ? folder : `${folder}/absent`; // Then the table cannot be mounted.
      const folders = { task, layer: folder, tmp: await makeTmp(folder) };
      const { path, options } = isolation!.command(folders, ["/bin/true"], {});
      const { success } = await new Deno.Command(path, { ...options, stdin: "null" }).output();
      assertEquals(success, isWhole);
    };
    await Promise.all(Array.from({ length: 12 }, start));
    const left = async () => {
      const pids = [...Deno.readDirSync("/proc")].map(({ name }) => name);
      const mounts = await Promise.all(
        pids.map((pid) => Deno.readTextFile(`/proc/${pid}/mountinfo`).catch(() => "")),
      );
      return pids.filter((_, index) => mounts[index]!.includes(folder));
    };
    await until("the ends of all processes", async () => (await left()).length === 0, left);
  },
});
