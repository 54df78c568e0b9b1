import { assertEquals } from "@std/assert";
import { fits, limitsInName, platformOf } from "./platforms.ts";

Deno.test("fits() reads the systems of a package.json as npm does", () => {
  for (
    const [limits, x64, arm64] of [
      [{}, true, true],
      [{ os: ["linux"], cpu: ["x64"], libc: ["glibc"] }, true, false],
      [{ os: ["linux"], cpu: ["arm64"] }, false, true],
      [{ os: ["linux"], cpu: ["x64"], libc: ["musl"] }, false, false],
      [{ os: ["darwin"], cpu: ["x64", "arm64"] }, false, false],
      [{ os: ["!win32"], cpu: ["any"] }, true, true],
      [{ os: ["!linux"] }, false, false],
      [{ os: "linux", cpu: "x64" }, true, false],
      [{ cpu: ["wasm32"] }, false, false],
      [{ os: 5, cpu: { x64: true } }, true, true],
    ] as const
  ) {
    const found = [fits(limits, platformOf("x86_64")), fits(limits, platformOf("arm64"))];
    assertEquals(found, [x64, arm64], JSON.stringify(limits));
  }
  assertEquals(fits({ libc: ["glibc"] }, { os: "darwin", cpu: "arm64" }), true);
});

Deno.test("limitsInName() finds the system in the names that packages for one system have", () => {
  for (
    const [name, ...limits] of [
      ["@img/sharp-linux-x64", "linux", "x64"],
      ["@img/sharp-linuxmusl-arm64", "linux", "arm64", "musl"],
      ["@img/sharp-libvips-darwin-arm64", "darwin", "arm64"],
      ["@node-rs/argon2-linux-arm64-gnu", "linux", "arm64"],
      ["@node-rs/argon2-linux-x64-musl", "linux", "x64", "musl"],
      ["@node-rs/argon2-linux-arm-gnueabihf", "linux", "arm"],
      ["@esbuild/linux-arm64", "linux", "arm64"],
      ["@msgpackr-extract/msgpackr-extract-linux-x64", "linux", "x64"],
      ["turbo-windows-64", "win32", "x64"],
      ["@libsql/linux-x64-gnu", "linux", "x64"],
      ["thing-linux-x86_64", "linux", "x64"],
    ] as const
  ) {
    const [os, cpu, libc] = limits;
    assertEquals(limitsInName(name), { os, cpu, ...(libc && { libc }) }, name);
  }
  for (const name of ["fsevents", "arm", "linux-release-info", "@img/sharp-wasm32", "base64-js"]) {
    assertEquals(limitsInName(name), undefined, name);
  }
});
