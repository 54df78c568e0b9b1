import { assertEquals, assertMatch } from "@std/assert";
import { run, temporaryFolder } from "../../testdata/programs.ts";
import { findProgram } from "../programs/find_program.ts";
import { BOOTSTRAP } from "./layer.ts";

const UNIX = { ignore: Deno.build.os === "windows" };
const shellcheck = await findProgram("shellcheck");
if (!shellcheck) console.error("NOT RUN: shellcheck of the bootstrap, because it is not installed");

/** Starts the script in a layer whose Deno prints its environment and arguments. */
async function start(
  task: Record<string, string>,
  environment: Record<string, string> = {},
): Promise<{ args: string[]; environment: Map<string, string>; folder: string; stderr: string }> {
  const folder = temporaryFolder();
  await Deno.mkdir(`${folder}/layer/bin`, { recursive: true });
  await Deno.mkdir(`${folder}/layer/mate`);
  await Deno.writeTextFile(`${folder}/layer/bootstrap`, BOOTSTRAP, { mode: 0o755 });
  await Deno.writeTextFile(`${folder}/layer/mate/architecture`, "arm64\n");
  await Deno.writeTextFile(
    `${folder}/layer/bin/deno`,
    `#!/bin/sh\nenv\necho =\nprintf '%s\\n' "$@"\n`,
  );
  await Deno.chmod(`${folder}/layer/bin/deno`, 0o755);
  await Deno.mkdir(`${folder}/task/mate`, { recursive: true });
  for (const [path, text] of Object.entries(task)) {
    if (path.endsWith("/")) await Deno.mkdir(`${folder}/task/${path}`);
    else await Deno.writeTextFile(`${folder}/task/${path}`, text);
  }
  const { stdout, stderr } = await run(`${folder}/layer/bootstrap`, [], {
    env: {
      AWS_LAMBDA_RUNTIME_API: "127.0.0.1:9001",
      LAMBDA_TASK_ROOT: `${folder}/task`,
      ...environment,
    },
    clearEnv: true,
  });
  const [variables, args] = stdout.split("\n=\n");
  return {
    args: (args ?? "").trim().split("\n"),
    environment: new Map(
      variables!.split("\n").map((line) => line.split("=") as [string, string]),
    ),
    folder,
    stderr,
  };
}

Deno.test({
  name: "shellcheck finds nothing in the bootstrap",
  ignore: !shellcheck,
  async fn() {
    const file = `${temporaryFolder()}/bootstrap`;
    await Deno.writeTextFile(file, BOOTSTRAP);
    const { code, stdout } = await run(shellcheck!, [file]);
    assertEquals([code, stdout], [0, ""]);
  },
});

Deno.test({
  name: "the bootstrap grants the Runtime API and the hosts of mate/net and mate/uses",
  ...UNIX,
  async fn() {
    const API = "--allow-net=127.0.0.1:9001";
    const variables = { AWS_REGION: "eu-west-1", BUCKET_A: "shop-a", EMPTY: "", CODE: "$(exit 9)" };
    for (
      const [net, uses, wanted, message = ""] of [
        [undefined, undefined, API],
        ["\n", "\n", API],
        ["a.example:443,b.example\n", "\n", `${API},a.example:443,b.example`],
        ["a.example", undefined, `${API},a.example`],
        ["*\n", "\n", "--allow-net"],
        ["*\n", "a.example\n", "--allow-net"],
        ["\n", "a.example,b.example\n", `${API},a.example,b.example`],
        ["a.${AWS_REGION}.example\n", "b.example\n", `${API},a.eu-west-1.example,b.example`],
        [
          "\n",
          "${BUCKET_A}.s3.${AWS_REGION}.example:443,s3.${AWS_REGION}.example:443\n",
          `${API},shop-a.s3.eu-west-1.example:443,s3.eu-west-1.example:443`,
        ],
        ["${CODE}\n", "\n", `${API},$(exit 9)`],
        ["${GONE}.example\n", "\n", undefined, /GONE: is not set, and mate.net/],
        ["${EMPTY}\n", "\n", undefined, /EMPTY: is not set/],
        ["${A;exit}\n", "\n", undefined, /"A;exit" is not a variable/],
      ] as const
    ) {
      const files = Object.entries({ "mate/net": net, "mate/uses": uses });
      const task = Object.fromEntries(files.filter(([, text]) => text !== undefined));
      const { args, stderr } = await start(task as Record<string, string>, variables);
      const found = args.find((arg) => arg.startsWith("--allow-net"));
      assertEquals(found, wanted, `${net} ${uses} ${stderr}`);
      assertMatch(stderr, new RegExp(message));
    }
    const secret = await start({}, { AWS_LAMBDA_RUNTIME_API: "127.0.0.1:9001/secret" });
    assertEquals(secret.args.find((arg) => arg.startsWith("--allow-net")), API);
    assertEquals(secret.args.some((arg) => arg.includes("secret")), false, "others see arguments");
  },
});

Deno.test({
  name:
    "the bootstrap grants its own files, the environment and /tmp except DENO_DIR, and never asks",
  ...UNIX,
  async fn() {
    const { args, folder, environment } = await start({});
    const flags = args.filter((arg) => /^--(allow|deny)-(?!net|sys)|prompt|cached|no-/.test(arg));
    assertEquals(flags, [
      "--no-prompt",
      "--no-config",
      "--no-lock",
      "--no-remote",
      "--no-npm",
      "--cached-only",
      "--no-code-cache",
      `--allow-read=${folder}/task,${folder}/layer,/tmp`,
      "--allow-write=/tmp",
      `--deny-write=${folder}/task,${folder}/layer,/tmp/deno`,
      "--allow-env",
      "--deny-env=HTTP_PROXY,http_proxy,HTTPS_PROXY,https_proxy,ALL_PROXY,all_proxy,NO_PROXY,no_proxy",
    ]);
    assertEquals(args.at(-1), `${folder}/layer/mate/bootstrap.js`);
    assertEquals(environment.get("HOME"), "/tmp");
    assertEquals(environment.get("DENO_DIR"), "/tmp/deno");
  },
});

Deno.test({
  name: "the bootstrap uses the cache of its own architecture only",
  ...UNIX,
  async fn() {
    const both = { "mate/cache-arm64/": "", "mate/cache-x86_64/": "" };
    const { environment, folder, args } = await start(both);
    assertEquals(environment.get("DENO_DIR"), `${folder}/task/mate/cache-arm64`);
    assertEquals(args.includes("--no-code-cache"), false);
    const other = await start({ "mate/cache-x86_64/": "" });
    assertEquals(other.environment.get("DENO_DIR"), "/tmp/deno");
    const kept = await start({}, { DENO_DIR: "/var/kept" });
    assertEquals(kept.environment.get("DENO_DIR"), "/var/kept");
    assertEquals(kept.args.includes("--no-code-cache"), false);
  },
});

Deno.test({
  name: "the bootstrap leaves V8 three quarters of the function's memory",
  ...UNIX,
  async fn() {
    const { args } = await start({}, { AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "1769" });
    assertEquals(args.includes("--v8-flags=--max-old-space-size=1326"), true);
  },
});

Deno.test({
  name: "the bootstrap copies the proxies of the environment, for the runtime",
  ...UNIX,
  async fn() {
    const proxies = { HTTP_PROXY: `http://127.0.0.1:9 "$x' $(exit 9)`, no_proxy: "" };
    const { environment } = await start({}, proxies);
    const copies = [...environment].filter(([name]) => name.startsWith("_MATE_"));
    const expected = Object.entries(proxies).map(([name, value]) => [`_MATE_${name}`, value]);
    assertEquals(copies.sort(), expected);
  },
});

Deno.test({
  name: "the bootstrap names the variable that is missing",
  ...UNIX,
  async fn() {
    for (const name of ["LAMBDA_TASK_ROOT", "AWS_LAMBDA_RUNTIME_API"]) {
      const { stderr } = await start({}, { [name]: "" });
      assertMatch(stderr, new RegExp(`${name}: is not set`));
    }
  },
});
