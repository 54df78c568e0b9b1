import { assertEquals } from "@std/assert";
import { abiOf, systemOf } from "./binaries.ts";
import { binary } from "./testdata/binaries.ts";

Deno.test("systemOf() tells the system of a native file, and that other files have none", () => {
  for (
    const [kind, os, cpu] of [
      ["linux-x64", "linux", "x64"],
      ["linux-arm64", "linux", "arm64"],
      ["linux-s390x", "linux", "other"],
      ["darwin-x64", "darwin", "x64"],
      ["darwin-arm64", "darwin", "arm64"],
      ["darwin", "darwin", undefined],
      ["win32-x64", "win32", "x64"],
      ["win32-arm64", "win32", "arm64"],
    ] as const
  ) {
    assertEquals(systemOf(binary(kind)), cpu ? { os, cpu } : { os }, kind);
  }
  const text = (own: string) => new TextEncoder().encode(own.padEnd(100));
  for (
    const other of [binary("java"), text("MZ is a text"), text("\x7fELF").slice(0, 20), text("")]
  ) {
    assertEquals(systemOf(other), undefined);
  }
  assertEquals(systemOf(Deno.readFileSync(Deno.execPath()).subarray(0, 4096)), {
    os: Deno.build.os === "windows" ? "win32" : Deno.build.os === "darwin" ? "darwin" : "linux",
    cpu: Deno.build.arch === "aarch64" ? "arm64" : "x64",
  });
});

Deno.test("abiOf() reads for which Node.js an add-on was built, unless it works with each", () => {
  const of = (text: string) => abiOf(binary("linux-x64", text));
  assertEquals(of("_init\0node_register_module_v137\0"), 137);
  assertEquals(of("node_register_module_v115\0napi_register_module_v1\0"), "any");
  assertEquals(of("node_register_module_v\0"), undefined);
  assertEquals(of("napi_register_module_v1\0"), "any");
  assertEquals(of(""), undefined);
});
