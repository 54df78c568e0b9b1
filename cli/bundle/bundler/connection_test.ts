import { assertEquals, assertRejects } from "@std/assert";
import { Connection } from "./connection.ts";

/** Connects to a process that reads one question, writes bytes in pieces, and ends with the status 3. */
function connect(pieces: readonly string[]): Connection {
  const code = `await Deno.stdin.read(new Uint8Array(1000));
    for (const piece of ${JSON.stringify(pieces)}) {
      await Deno.stdout.write(new TextEncoder().encode(piece));
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
const LINE = `${JSON.stringify({ id: 1, results: [], sizes: [5, 0, 3] })}\n`;

Deno.test("Connection.ask() reads an answer and the bytes after it, in any pieces", async () => {
  for (const pieces of [[`${LINE}a\nbé!!!`], [...`${LINE}a\nbé!!!`]]) {
    await using connection = connect(pieces);
    const { results, contents } = await connection.ask(QUESTION);
    assertEquals(results, []);
    assertEquals(contents.map((bytes) => new TextDecoder().decode(bytes)), ["a\nbé", "", "!!!"]);
  }
});

Deno.test("Connection.ask() fails if the process ends in an answer", async () => {
  for (const text of ["", LINE.slice(0, 10), LINE, `${LINE}a\nbé!!`]) {
    await using connection = connect([text]);
    const ended = "the bundler ended with the status 3";
    await assertRejects(() => connection.ask(QUESTION), Error, ended, text);
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
