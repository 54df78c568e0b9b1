import { assertEquals } from "@std/assert";
import { RunningProgram } from "../../../testdata/running_program.ts";
import { startProgram } from "../../../testdata/programs.ts";
import { measureMemory } from "./measure.ts";

const SIZE = 96 * 1024 ** 2;

/** Writes to each page of memory that it could share with other processes, as `shm_open()` and `memfd_create()` give it. */
const SHARING = `
const libc = Deno.dlopen("libc.so.6", {
  mmap: { parameters: ["pointer", "usize", "i32", "i32", "i32", "i64"], result: "pointer" },
});
const [READ_WRITE, SHARED_ANONYMOUS] = [3, 0x21];
const memory = libc.symbols.mmap(null, ${SIZE}n, READ_WRITE, SHARED_ANONYMOUS, -1, 0n);
new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(memory, ${SIZE})).fill(1);
console.log("written");
setInterval(() => {}, 60_000);
`;

Deno.test({
  name: "measureMemory() counts memory that a process could share",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const args = ["eval", "--quiet", "--no-config", SHARING];
    const child = startProgram(Deno.execPath(), { args, stdout: "piped", stderr: "piped" });
    await using program = new RunningProgram(child);
    await program.find(/written/);
    const memory = await measureMemory(child.pid);
    assertEquals(memory!.own > SIZE, true, JSON.stringify(memory));
  },
});
