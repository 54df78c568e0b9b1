/** Tests of a host that has a process of its own. */
import { assertEquals, assertMatch } from "@std/assert";
import { findProgram } from "../../programs/find_program.ts";
import { makeOwnedFolder } from "../../lambda/isolation/owned_folder.ts";
import { type Isolation, plainFolders } from "../../lambda/isolation/isolation.ts";
import type { Runtime } from "../../manifest/manifest.ts";
import { hasNamespace, isolation, testPlatform } from "../../testdata/sandbox.ts";
import { copyDeno, run, temporaryFolder } from "../../../testdata/programs.ts";
import { until } from "../../../testdata/waiting.ts";

/** Runs a program in a new process with a host of the function `one`. Returns the process id and the printed values. */
async function runHost(
  way: Isolation,
  program: string,
  { module, deno = Deno.execPath(), runtime = "deno" }: {
    module: string;
    deno?: string;
    runtime?: Runtime;
  },
): Promise<unknown[]> {
  const folder = temporaryFolder();
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url));
  const isolation = way.kind === "plain folders" ? `plainFolders("", "${setpriv}")` : "undefined";
  await Deno.chmod(folder, 0o755); // Functions run as another user.
  await Deno.writeTextFile(`${folder}/one.ts`, module);
  await Deno.writeTextFile(
    `${folder}/platform.ts`,
    `import { SandboxHost } from ${url("host.ts")};
      import { plainFolders } from ${url("../../lambda/isolation/isolation.ts")};
      import { applicationOf } from ${url("../../testdata/sandbox.ts")};
      const application = applicationOf({ timeout: 900, runtime: "${runtime}" });
      const manifestPath = ${JSON.stringify(`${folder}/app.json`)};
      const isolation = ${isolation};
      await using host = await SandboxHost.open({ application, manifestPath, log() {} }, isolation);
      const invoke = (event) => host.invoke("one", new TextEncoder().encode(event));
      const print = (...values) => console.log(JSON.stringify([Deno.pid, ...values]));
      ${program}`,
  );
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const args = ["run", "-A", "--no-lock", "--config", config, `${folder}/platform.ts`];
  const { stdout, stderr } = await run(deno, args);
  assertMatch(stdout, /./, stderr);
  return JSON.parse(stdout);
}

const setpriv = Deno.build.os === "linux" ? await findProgram("setpriv") : undefined;
const PLAIN = plainFolders("", setpriv);

Deno.test({
  name: "functions of root run in plain folders, even if only root may enter the folder of Deno",
  ignore: setpriv === undefined || Deno.uid() !== 0,
  async fn() {
    const folder = temporaryFolder(); // mode 0700
    const deno = `${folder}/deno`;
    await copyDeno(deno);
    await Deno.chmod(deno, 0o755);
    const program = 'print(new TextDecoder().decode((await invoke("{}")).payload));';
    const module = "export const handler = () => 42;";
    assertEquals((await runHost(PLAIN, program, { module, deno }))[1], "42");
  },
});

for (const way of hasNamespace ? [isolation!, PLAIN] : [PLAIN]) {
  testPlatform(
    `in ${way.kind}, frozen and busy processes end if the platform is killed`,
    async (runtime) => {
      const program = `
        void invoke('{"isEndless":true}');
        await invoke("{}");
        print(...host.sandboxesOf("one").map(({ pid }) => pid));
        Deno.kill(Deno.pid, "SIGKILL");`;
      const module = "export const handler = ({ isEndless }) => { while (isEndless); };";
      const [platform, ...pids] = await runHost(way, program, { module, runtime });
      assertEquals(pids.length, 2);
      for (const pid of pids) {
        // The process is gone, or a zombie because its parent has not waited for it.
        const hasEnded = () =>
          Deno.readTextFile(`/proc/${pid}/status`).then(
            (text) => /^State:\tZ/m.test(text),
            () => true,
          );
        await until("the end of the process", hasEnded);
      }
      await using _next = await makeOwnedFolder("/var/tmp");
      // A platform of another test may be the next one, and still be about to remove the folder.
      const names = () => [...Deno.readDirSync("/var/tmp")].map(({ name }) => name);
      const left = () => names().filter((name) => name.startsWith(`mate-${platform}-`));
      await until("the removal of the killed platform's folder", () => left().length === 0, left);
    },
    { ignore: setpriv === undefined },
  );
}
