import { assertEquals, assertStringIncludes } from "@std/assert";
import cli from "../cli/deno.json" with { type: "json" };
import core from "../deno.json" with { type: "json" };

Deno.test("both packages have the same version", () => {
  assertEquals(cli.version, core.version);
});

Deno.test({
  name: "check_version.sh accepts only the version of both packages, with notes, on main",
  ignore: Deno.build.os === "windows",
  async fn() {
    const folder = await Deno.makeTempDir();
    const run = async (program: string, ...args: string[]) => {
      const command = new Deno.Command(program, { args, cwd: folder });
      const { code, stdout, stderr } = await command.output();
      const decoder = new TextDecoder();
      return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    };
    try {
      const script = new URL("check_version.sh", import.meta.url);
      await Deno.mkdir(`${folder}/scripts`);
      await Deno.mkdir(`${folder}/cli`);
      await Deno.copyFile(script, `${folder}/scripts/check_version.sh`);
      const git = (...args: string[]) =>
        run("git", "-c", "user.name=a", "-c", "user.email=a@example.com", ...args);
      await git("init", "--quiet", "--initial-branch=main");
      await git("commit", "--quiet", "--allow-empty", "--message=one");
      await git("update-ref", "refs/remotes/origin/main", "HEAD");
      for (
        const [problem, tag, core, cli, changelog] of [
          ["", "1.2.3", "1.2.3", "1.2.3", "## [1.2.3] - 2026-11-21\n\n- New.\n\n## [1.2.2]\n"],
          ["in deno.json", "1.2.4", "1.2.3", "1.2.4", "## [1.2.4]\n\n- New.\n"],
          ["in cli/deno.json", "1.2.3", "1.2.3", "1.2.2", "## [1.2.3]\n\n- New.\n"],
          ["no section", "1.2.3", "1.2.3", "1.2.3", "## [Unreleased]\n\n- New.\n"],
          ["no section", "1.2.3", "1.2.3", "1.2.3", "## [1.2.3]\n\n## [1.2.2]\n\n- Old.\n"],
          ["no section", "1.2.3", "1.2.3", "1.2.3", "## [11233]\n\n- New.\n"],
          ["not on main", "1.2.3", "1.2.3", "1.2.3", "## [1.2.3]\n\n- New.\n"],
        ] as const
      ) {
        if (problem === "not on main") {
          await git("commit", "--quiet", "--allow-empty", "--message=two");
        }
        for (const [file, version] of [["deno.json", core], ["cli/deno.json", cli]] as const) {
          await Deno.writeTextFile(
            `${folder}/${file}`,
            JSON.stringify({ name: "a", version, b: 1 }, null, 2),
          );
        }
        await Deno.writeTextFile(`${folder}/CHANGELOG.md`, `# Changelog\n\n${changelog}`);
        const { code, stderr } = await run("bash", "scripts/check_version.sh", tag);
        assertEquals(code, problem === "" ? 0 : 1, `${problem}: ${stderr}`);
        assertStringIncludes(stderr, problem);
        if (problem !== "") continue;
        const { stdout } = await run("bash", "scripts/check_version.sh", "--notes", tag);
        assertEquals(stdout.trim(), "- New.");
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
