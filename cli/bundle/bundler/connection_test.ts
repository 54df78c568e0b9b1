import { assertEquals, assertRejects } from "@std/assert";
import { Connection } from "./connection.ts";
import { encodeMessage } from "./messages.ts";

/** Connects to a process that reads one question, writes bytes in pieces, and ends with the status 3. */
function connect(pieces: readonly Uint8Array[]): Connection {
  const code = `await Deno.stdin.read(new Uint8Array(1000));
    for (const piece of ${JSON.stringify(pieces.map((bytes) => [...bytes]))}) {
      await Deno.stdout.write(new Uint8Array(piece));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    Deno.exit(3);`;
  const command = new Deno.Command(Deno.execPath(), {
    args: ["eval", code],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  return new Connection(command.spawn(), undefined);
}

const QUESTION = {
  bundle: { entries: [], style: { target: "deno", isMinified: false, packages: [] } },
} as const;

const FILES = ["a\nbé", "", "!!!"].map((text, index) => ({
  path: `${index}`,
  data: new TextEncoder().encode(text),
}));
const ANSWER = {
  results: [{ problem: "é".repeat(2_000) }, { problem: "short" }],
  copied: { stamp: "1", files: FILES, warnings: [] },
};
const MESSAGE = new Uint8Array(await new Blob(encodeMessage({ id: 1, ...ANSWER })).bytes());

Deno.test("Connection.ask() reads an answer with its texts and bytes, in any pieces", async () => {
  const bytes = [...MESSAGE].map((byte) => new Uint8Array([byte]));
  for (const pieces of [[MESSAGE], [...bytes.slice(0, 40), MESSAGE.subarray(40)]]) {
    await using connection = connect(pieces);
    assertEquals(await connection.ask(QUESTION), ANSWER);
  }
});

Deno.test("Connection.ask() fails if the process ends in an answer", async () => {
  for (const length of [0, 2, 10, 100, MESSAGE.length - 1]) {
    await using connection = connect([MESSAGE.subarray(0, length)]);
    const ended = "the bundler ended with the status 3";
    await assertRejects(() => connection.ask(QUESTION), Error, ended, `${length}`);
  }
});

Deno.test("a connection whose signal has aborted kills its process, also one without a group of its own", async () => {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["eval", "setInterval(() => {}, 1000)"], // It does not read its input.
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  const child = command.spawn();
  const connection = new Connection(child, AbortSignal.abort());
  await connection[Symbol.asyncDispose]();
  assertEquals((await child.status).signal, "SIGKILL");
});
