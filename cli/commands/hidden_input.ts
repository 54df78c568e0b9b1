/**
 * Asks for a text on the terminal, and shows none of it. Enter ends it.
 *
 * @throws {Error} If the user presses Ctrl-C.
 */
export function askHidden(question: string): string {
  const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
  Deno.stdin.setRaw(true); // before the question, because the user may type at once
  try {
    write(question);
    return readKeys();
  } finally {
    Deno.stdin.setRaw(false);
    write("\n");
  }
}

function readKeys(): string {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1_024);
  const typed: string[] = [];
  for (;;) {
    const length = Deno.stdin.readSync(buffer);
    for (const key of decoder.decode(buffer.subarray(0, length ?? 0), { stream: true })) {
      if (key === "\r" || key === "\n" || key === "\x04") return typed.join("");
      if (key === "\x03") throw new Error("Interrupted: nothing was changed");
      if (key === "\x7f" || key === "\b") typed.pop();
      else if (key === "\x15") typed.length = 0;
      else typed.push(key);
    }
    if (length === null) return typed.join("");
  }
}
