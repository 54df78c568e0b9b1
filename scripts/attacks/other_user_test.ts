import { assertEquals, assertMatch } from "@std/assert";
import { findProgram } from "../../cli/programs/find_program.ts";
import { startApp } from "../../cli/testdata/sandbox.ts";
import { startRuntimeApi } from "../../cli/testdata/runtime_api.ts";
import { copyDeno, temporaryFolder } from "../../testdata/programs.ts";

const setpriv = Deno.build.os === "linux" ? await findProgram("setpriv") : undefined;
const canSwitch = setpriv !== undefined && Deno.uid() === 0;
if (!canSwitch) {
  console.error("NOT RUN: the attacks of another user, because only root can become one");
}

/**
 * What another user does: it reads the ports, the arguments and the environments of all processes, and asks each port for the
 * next invocation behind each path that it has found. It prints each answer 200, and answers the invocation itself.
 */
const ATTACK = `
const [port, ...known] = Deno.args;
const words = new Set(known);
for (const { name } of Deno.readDirSync("/proc")) {
  if (!/^\\d+$/.test(name)) continue;
  for (const file of ["cmdline", "environ"]) {
    try {
      const text = Deno.readTextFileSync("/proc/" + name + "/" + file);
      for (const [word] of text.matchAll(/[0-9a-f]{32}/g)) words.add("/" + word);
    } catch { /* the process of another user */ }
  }
}
const ports = Deno.readTextFileSync("/proc/net/tcp").split("\\n").slice(1)
  .map((line) => line.trim().split(/\\s+/)).filter((fields) => fields[3] === "0A")
  .map((fields) => parseInt(fields[1].split(":")[1], 16));
console.log("found " + ports.includes(Number(port)));
for (const root of ["", ...words]) {
  const url = "http://127.0.0.1:" + port + root + "/2018-06-01/runtime/invocation/";
  const response = await fetch(url + "next", { signal: AbortSignal.timeout(5_000) });
  const id = response.headers.get("lambda-runtime-aws-request-id");
  const text = await response.text();
  if (response.status !== 200) continue;
  const forged = await fetch(url + id + "/response", { method: "POST", body: '"forged"' });
  console.log("took " + text + " " + forged.status);
}
`;

/** Runs the attack as the user "nobody". */
async function attack(...args: string[]): Promise<string[]> {
  const folder = temporaryFolder();
  await Deno.chmod(folder, 0o755);
  await copyDeno(`${folder}/deno`);
  await Deno.writeTextFile(`${folder}/attack.js`, ATTACK);
  const options = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];
  const { stdout, stderr } = await new Deno.Command(setpriv!, {
    args: [...options, `${folder}/deno`, "run", "-A", `${folder}/attack.js`, ...args],
    env: { DENO_DIR: `${folder}/cache`, HOME: folder, NO_COLOR: "1" },
    clearEnv: true,
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trim().split("\n");
}

Deno.test({
  name: "another user cannot take or answer an invocation",
  ignore: !canSwitch,
  async fn(t) {
    await t.step(
      "because the secret is missing: with the secret, the same attack succeeds",
      async () => {
        await using runtime = await startRuntimeApi();
        runtime.invoke("id");
        const [, port] = runtime.host.split(":");
        assertEquals(await attack(port!, runtime.root), ["found true", 'took {"a":1} 202']);
      },
    );
    await t.step("because nothing of a sandbox shows the secret", async () => {
      const end = Promise.withResolvers<Response>();
      await using gate = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        () => end.promise,
      );
      using release = new DisposableStack(); // Otherwise the gate would wait forever if this test fails.
      release.defer(() => end.resolve(new Response()));
      const host = `127.0.0.1:${gate.addr.port}`;
      await using app = await startApp(
        `export const handler = async ({ secret, isSlow }) => {
          if (isSlow) await fetch("http://${host}");
          return [secret, Deno.env.get("AWS_LAMBDA_RUNTIME_API")];
        };`,
        { permissions: { net: [host] } },
      );
      const { json } = await app.invoke({ secret: 1 });
      const [, address] = json as [number, string];
      assertMatch(address, /^127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
      const [, port] = /:(\d+)/.exec(address)!;
      const outcome = app.invoke({ secret: 2, isSlow: true });
      assertEquals(await attack(port!), ["found true"]);
      end.resolve(new Response());
      assertEquals((await outcome).json, [2, address]);
    });
  },
});
