/** A malicious function for Node.js attacks the machine, the platform and other functions. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp } from "../../cli/testdata/bundle.ts";
import { Command } from "../../cli/testdata/command.ts";
import { hasNamespace, NODE_RUNTIMES } from "../../cli/testdata/sandbox.ts";
import { findOwnNetwork } from "../../cli/aws/dynamodb/own_network.ts";
import { findProgram } from "../../cli/programs/find_program.ts";
import { childrenOf, listeners } from "../../testdata/listeners.ts";
import { succeed, temporaryFolder } from "../../testdata/programs.ts";

const EVIL = `
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";

/** Sends a request to a port or a Unix socket, without a secret. Returns the answer. */
const ask = (to, head) => new Promise((resolve) => {
  const socket = connect(to);
  let text = "";
  socket.setTimeout(2_000, () => socket.destroy());
  socket.on("data", (part) => { text += part; socket.destroy(); }).on("error", () => {});
  socket.on("close", () => resolve(text));
  socket.write(head.replaceAll("PORT", to.port)); // Some servers do not answer a client that has ended its side.
});

const REQUESTS = [
  "GET /log HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\n\\r\\n",
  "GET / HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\n\\r\\n",
  "POST /2015-03-31/functions/told/invocations HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\nContent-Length: 2\\r\\n\\r\\n{}",
  "POST /queues/jobs HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\nContent-Length: 4\\r\\n\\r\\nevil",
  "GET /2018-06-01/runtime/invocation/next HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\n\\r\\n",
  "POST / HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\nX-Amz-Target: AmazonSQS.ListQueues\\r\\nContent-Length: 2\\r\\n\\r\\n{}",
];

/** The engine of the tables checks only that a request has a signature. */
for (const operation of ["ListTables", "Scan"]) {
  const body = '{"TableName":"test-notes"}';
  REQUESTS.push("POST /?" + operation + " HTTP/1.1\\r\\nHost: 127.0.0.1:PORT\\r\\nX-Amz-Target: DynamoDB_20120810." + operation +
    "\\r\\nContent-Type: application/x-amz-json-1.0\\r\\nX-Amz-Date: 20260101T000000Z\\r\\nAuthorization: AWS4-HMAC-SHA256 " +
    "Credential=a/20260101/b/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\\r\\n" +
    "Content-Length: " + body.length + "\\r\\n\\r\\n" + body);
}

const done = (attempts) => attempts.filter((attempt) => {
  try { return attempt() !== undefined; } catch { return false; }
}).map(String);

export const handler = async ({ kind, files, folders, pid, places, memory }) => {
  if (kind === "network") {
    const answers = [];
    for (const place of places) {
      for (const request of REQUESTS) {
        const text = await ask(place, request);
        if (/^HTTP\\/1\\.1 2/.test(text)) answers.push([request.split("\\r")[0], text.slice(0, 200)]);
      }
    }
    return answers;
  }
  return done([
    ...files.map((file) => () => readFileSync(file)),
    ...files.map((file) => () => execFileSync("cat", [file], { stdio: "pipe" })),
    ...folders.map((folder) => () => { writeFileSync(folder + "/evil", ""); return folder; }),
    ...folders.map((folder) => () => execFileSync("touch", [folder + "/evil"], { stdio: "ignore" })),
    () => process.kill(pid, 0),
    () => execFileSync("sh", ["-c", "kill -0 " + pid], { stdio: "ignore" }),
    () => execFileSync("unshare", ["--user", "--map-root-user", "--mount", "cat", files[0]], { stdio: "pipe" }),
    () => execFileSync("perl", ["-e", "mkdir '/tmp/x'; chroot('/tmp/x') or exit 1; chdir '..' for 1..50; chroot '.'; open(F, '<', $ARGV[0]) or exit 1;", files[0]], { stdio: "ignore" }),
    () => readdirSync("/proc").filter((name) => /^\\d+$/.test(name) && name !== "1" && name !== String(process.pid))[0],
    () => readFileSync("/proc/1/environ"),
    () => execFileSync("perl", ["-e", "shmread($ARGV[0], my $text, 0, 6) or exit 1; print $text", memory], { stdio: "pipe" }),
    () => readdirSync("/old")[0],
  ]);
};
`;

/** A function whose environment has a secret. It runs while the other one attacks. */
const TOLD = `export const handler = ({ Records = [] }) => {
  for (const { body } of Records) console.log("told " + body);
};`;

/** A function on Deno that connects to ports and Unix sockets. */
const EVIL_ON_DENO = `export const handler = async ({ places }) => {
  const reached = [];
  for (const { host: hostname, ...place } of places) {
    const options = hostname === undefined ? { ...place, transport: "unix" } : { ...place, hostname };
    await Deno.connect(options).then(() => reached.push(place), () => {});
  }
  return reached;
};`;

/** Invokes a function of a running platform. */
async function invoke(controlUrl: string, name: string, event: unknown) {
  const url = `${controlUrl}2015-03-31/functions/${name}/invocations`;
  const response = await fetch(url, { method: "POST", body: JSON.stringify(event) });
  return await response.json();
}

/** Makes memory that every user of the machine may read, as a program of the developer may. */
async function shareMemory(): Promise<AsyncDisposable & { readonly id: string }> {
  if (!perl) return { id: "0", async [Symbol.asyncDispose]() {} };
  const make = "my $id = shmget(0, 64, 01666); shmwrite($id, 'secret', 0, 6) or exit 1; print $id";
  const id = await succeed(perl, ["-e", make]);
  const read = "shmread($ARGV[0], my $text, 0, 6) or exit 1; print $text";
  assertEquals(await succeed(perl, ["-e", read, id]), "secret");
  return {
    id,
    [Symbol.asyncDispose]: async () =>
      void await succeed(perl!, ["-e", "shmctl($ARGV[0], 0, 0)", id]),
  };
}

/** The programs of the system that a platform needs, without the one that makes namespaces. */
async function withoutUnshare(): Promise<string> {
  const folder = temporaryFolder();
  await Deno.chmod(folder, 0o755); // Functions may run as another user.
  for (const name of ["sh", "setsid", "setpriv"]) {
    await Deno.symlink((await findProgram(name))!, `${folder}/${name}`);
  }
  return folder;
}

const perl = await findProgram("perl");
if (!perl) console.error("NOT RUN: ways out of a sandbox by perl, which is not installed");

const { problem } = await findOwnNetwork();
if (problem !== undefined) {
  console.error(`NOT RUN: attacks on the engine of the tables: ${problem}`);
}

/** Where the processes listen: the addresses of the machine, and the sockets of the relay to the engine of the tables. */
function placesOf(pids: readonly number[]) {
  const places = listeners(pids).map(({ address, port }) => ({
    host: address.length > 8 ? "::1" : Uint8Array.fromHex(address).reverse().join("."),
    port,
  }));
  const networkOf = (pid: number) => Deno.readLinkSync(`/proc/${pid}/ns/net`);
  // The network of this process also shows the connections to the relays of other platforms.
  const sockets = pids.filter((pid) => networkOf(pid) !== networkOf(Deno.pid)).flatMap((pid) => {
    const table = Deno.readTextFileSync(`/proc/${pid}/net/unix`);
    return [...table.matchAll(/ (\/.*\/mate-tables-.*)$/gm)];
  });
  return { places, sockets: [...new Set(sockets.map(([, path]) => path!))] };
}

for (const runtime of NODE_RUNTIMES) {
  Deno.test({
    name: `${runtime}: a function cannot leave its sandbox, and uses no port of the platform`,
    ignore: !hasNamespace,
    async fn() {
      await using app = await makeApp({ "evil.js": EVIL, "told.js": TOLD, "secret.txt": "s" }, {
        evil: { module: "evil.js", timeout: 120, memory: 512 },
        told: { module: "told.js", triggers: { queues: [{ name: "jobs" }] } },
      }, {
        runtime,
        queues: { jobs: {} },
        ...problem === undefined && { tables: { notes: { key: { id: "string" } } } },
      });
      // A process of its own, because the ports of this one also belong to the tests that run beside this one.
      await using command = new Command(["--port", "0", "app.json"], app.folder);
      const [, controlUrl] = await command.find(/Start page\s+(\S+)\n[^]*Ctrl-C/);
      await invoke(controlUrl!, "told", {}); // Its Runtime API listens from now on.
      await using memory = await shareMemory();
      const files = [
        `${app.folder}/secret.txt`,
        `${app.folder}/app.json`,
        "/etc/shadow",
        `/proc/${command.pid}/root${app.folder}/secret.txt`,
        `/proc/${command.pid}/environ`,
        "/var/tmp",
      ];
      const folders = [
        "/",
        "/var/task",
        "/var/runtime",
        "/opt",
        "/usr/lib",
        "/etc",
        "/old",
        "/proc",
        "/dev",
      ];
      const left = await invoke(controlUrl!, "evil", {
        kind: "machine",
        files,
        folders,
        pid: command.pid,
        memory: memory.id,
      });
      assertEquals(left, []);
      // Node.js has no rules for the network, so a function finds these ports. Those of other programs are left alone.
      const { places, sockets } = placesOf([command.pid, ...childrenOf(command.pid)]);
      const least = "the application, two kinds of services, two Runtime APIs";
      assertEquals(places.length >= 4, true, least);
      assertEquals(sockets.length, problem === undefined ? 1 : 0, "the relay");
      const all = [...places, ...sockets.map((path) => ({ path }))];
      assertEquals(await invoke(controlUrl!, "evil", { kind: "network", places: all }), []);
      await invoke(controlUrl!, "told", { Records: [{ body: "last" }] });
      await command.find(/told last/);
      assertEquals(/told evil/.test(command.output), false);
    },
  });
}

/** Lets V8 write files that flags name. */
const FLAGS = `import v8 from "node:v8";
export const handler = async ({ file }) => {
  for (const flags of ["--redirect-code-traces-to=", "--logfile="].flatMap((flag) => [
    flag + file, flag.replaceAll("-", "_").replace("__", "--") + file, "--expose-gc " + flag + file, flag.slice(0, -1) + " " + file,
  ])) {
    for (const set of [v8.setFlagsFromString, process.getBuiltinModule("v8").setFlagsFromString]) {
      try { set(flags); } catch { /* refused */ }
    }
  }
  for (const flag of ["--redirect-code-traces", "--trace-opt", "--trace-deopt", "--prof", "--log-all"]) {
    try { v8.setFlagsFromString(flag); } catch { /* refused */ }
  }
  const hot = (one) => one.x + 1;
  for (let x = 0; x < 1e6; x++) hot({ x });
  return hot({ y: 1, x: 2 });
};`;

for (const runtime of NODE_RUNTIMES) {
  Deno.test({
    name: `${runtime}: without namespaces, no flag of V8 writes a file`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const functions = { evil: { module: "evil.js", timeout: 60, memory: 512, runtime } };
      await using app = await makeApp({ "evil.js": FLAGS }, functions);
      await Deno.chmod(app.folder, 0o777);
      const env = { PATH: await withoutUnshare() };
      await using command = new Command(["--port", "0", "app.json"], app.folder, env);
      const [, controlUrl] = await command.find(/Start page\s+(\S+)\n[^]*Ctrl-C/);
      const file = `${app.folder}/written`;
      assertEquals(await invoke(controlUrl!, "evil", { file }), 3, "the function has run");
      const names = await Array.fromAsync(Deno.readDir(app.folder), ({ name }) => name);
      assertEquals(names.filter((name) => !/^(app\.json|evil\.js|\.mate)$/.test(name)), []);
    },
  });
}

for (const runtime of ["deno", ...NODE_RUNTIMES]) {
  Deno.test({
    name: `${runtime}: without namespaces, a function does not reach the engine of the tables`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const isDeno = runtime === "deno";
      const functions = { evil: { module: "evil.js", timeout: 120, memory: 512, runtime } };
      await using app = await makeApp({ "evil.js": isDeno ? EVIL_ON_DENO : EVIL }, functions, {
        tables: { notes: { key: { id: "string" } } },
      });
      const env = { PATH: await withoutUnshare() };
      await using command = new Command(["--port", "0", "app.json"], app.folder, env);
      const [, controlUrl] = await command.find(/Start page\s+(\S+)\n[^]*Ctrl-C/);
      await command.find(/Functions run in plain folders/);
      await invoke(controlUrl!, "evil", { kind: "network", places: [] }); // It is bundled from now on.
      const pids = [command.pid, ...childrenOf(command.pid)];
      const engines = pids.filter((pid) =>
        Deno.readTextFileSync(`/proc/${pid}/comm`).trim() === "dynoxide"
      );
      // A function on Deno may use its own Runtime API and services.
      const { places } = placesOf(isDeno ? engines : pids);
      assertEquals(places.length > 0, true);
      assertEquals(await invoke(controlUrl!, "evil", { kind: "network", places }), []);
      assertEquals(engines.length, isDeno ? 1 : 0);
      const items = await fetch(`${controlUrl}tables/notes`);
      const text = await items.text();
      assertEquals(items.status, isDeno ? 200 : 501);
      if (!isDeno) {
        assertStringIncludes(text, "run these functions on Deno");
        assertMatch(command.output, /ERROR Cannot run tables here beside functions for Node\.js/);
      }
    },
  });
}
