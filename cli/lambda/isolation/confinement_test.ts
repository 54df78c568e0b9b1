import { assertEquals, assertMatch } from "@std/assert";
import { findProgram } from "../../programs/find_program.ts";
import { run, succeed, temporaryFolder } from "../../../testdata/programs.ts";
import { confine } from "./confinement.ts";

const probe = await confine(["/bin/sh", "-c", "true"], {});
const isConfining = probe.path !== "/bin/sh";
if (!isConfining) {
  console.error("NOT RUN: the namespace of the bundler, which this machine does not allow");
}

/** Makes a folder with a file `file`. */
async function makeFolder(text: string): Promise<string> {
  const folder = `${temporaryFolder()}/a b#\\040 c`; // The table of the mounts must escape this.
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/file`, text);
  return folder;
}

Deno.test({
  name: "confine() shows a program the given folders, and no other file of the developer",
  ignore: !isConfining,
  async fn() {
    const [secret, seen] = [await makeFolder("SECRET"), await makeFolder("seen")];
    const outside = `/proc/${Deno.pid}/root${secret}/file`;
    const script =
      `cat "$1" "$2"; ls -A /root /home /var /run /old /proc/self; cat "$3"; cat /table`;
    const { path, args } = await confine(
      ["/bin/sh", "-c", script, "sh", `${secret}/file`, outside, `${seen}/file`],
      { readOnly: [seen] },
    );
    assertEquals((await run(path, [...args])).stdout, "/old:\n\n/proc/self:\nexe\nmountinfo\nseen");
  },
});

Deno.test({
  name:
    "a confined program writes only to the writable folders, runs programs, and gets no privileges",
  ignore: !isConfining,
  async fn() {
    const [writable, readOnly] = [await makeFolder("1"), await makeFolder("2")];
    await Deno.mkdir(`${writable}/programs`);
    const programs = `${writable}/programs`;
    await Deno.writeTextFile(`${programs}/run`, "#!/bin/sh\necho ran", { mode: 0o755 });
    const script = `for folder; do
        echo x 2>/dev/null >"$folder/new" && printf "wrote %s\\n" "$folder"
      done
      "$2/run"
      setpriv --dump | grep -E "no_new_privs|Capability bounding"`;
    const { path, args } = await confine(
      ["/bin/sh", "-c", script, "sh", writable, programs, readOnly, "/usr/bin", "/usr/lib"],
      { writable: [writable], readOnly: [readOnly], programs: [programs] },
    );
    const { stdout } = await run(path, [...args]);
    const expected = `wrote ${writable}\nran\nno_new_privs: 1\nCapability bounding set: [none]\n`;
    assertEquals(stdout, expected);
  },
});

Deno.test({
  name: "confine() confines a program also if PATH has no sbin, as that of a user of Debian",
  ignore: !isConfining || probe.path !== "/usr/bin/unshare",
  async fn() {
    const module = JSON.stringify(new URL("confinement.ts", import.meta.url).href);
    const code = `import { confine } from ${module}; console.log((await confine(["x"], {})).path);`;
    const env = { PATH: "/usr/bin:/bin" };
    assertEquals(await succeed(Deno.execPath(), ["eval", code], { env }), `${probe.path}\n`);
  },
});

Deno.test({
  name: "confine() says why a Linux does not confine: a program is missing, or a mount is refused",
  ignore: !isConfining,
  async fn() {
    const module = JSON.stringify(new URL("confinement.ts", import.meta.url).href);
    const code =
      `import { confine } from ${module}; console.log((await confine(["x"], {})).problem ?? "");`;
    const mount = "#!/bin/sh\necho 'mount: /usr/lib: permission denied' >&2\nexit 32\n";
    for (
      const [without, replaced, problem] of [
        ["unshare", {}, /^"unshare" of util-linux is not installed\n$/],
        ["setpriv", {}, /^"setpriv" of util-linux is not installed\n$/],
        ["", { mount }, /^mount: \/usr\/lib: permission denied\n$/],
      ] as const
    ) {
      const programs = temporaryFolder();
      for (const name of ["unshare", "setpriv", "mount", "mkdir", "ln", "cp", "umount"]) {
        if (name === without || name in replaced) continue;
        await Deno.symlink((await findProgram(name))!, `${programs}/${name}`);
      }
      for (const [name, script] of Object.entries(replaced)) {
        await Deno.writeTextFile(`${programs}/${name}`, script, { mode: 0o755 });
      }
      const env = { PATH: programs, NO_COLOR: "1" };
      assertMatch(await succeed(Deno.execPath(), ["eval", code], { env }), problem);
    }
  },
});
