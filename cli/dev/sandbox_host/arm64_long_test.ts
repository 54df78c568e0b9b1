import { assertEquals, assertMatch } from "@std/assert";
import { makeApp } from "../../testdata/bundle.ts";
import { writeFiles } from "../../archives/archive.ts";
import { DENO_PACKAGES, DENO_VERSION, ownArchitecture } from "../../programs/pinned_packages.ts";
import { keepProgram } from "../../programs/keep_program.ts";
import { layerFiles } from "../../bundle/modules/own_modules.ts";
import { plainFolders } from "../../lambda/isolation/isolation.ts";
import { findProgram } from "../../programs/find_program.ts";
import { SandboxHost } from "./host.ts";

const LIBRARIES = "/usr/aarch64-linux-gnu";
const isNative = ownArchitecture() === "arm64";
const qemu = await findProgram("qemu-aarch64");
const hasLibraries = await Deno.stat(`${LIBRARIES}/lib/libgcc_s.so.1`).then(
  () => true,
  () => false,
);
const canRun = isNative || (Deno.build.os === "linux" && qemu !== undefined && hasLibraries);
if (!canRun) {
  console.error(
    "NOT RUN: the arm64 layer. It needs an arm64 machine, or qemu-user, libc6-arm64-cross and libgcc-s1-arm64-cross",
  );
}

/** The pinned Deno for arm64, or `undefined` without a registry. */
const deno = canRun
  ? await keepProgram(DENO_PACKAGES.arm64).then(Deno.readFile).catch((error: Error) => {
    if (!error.message.startsWith("Cannot download")) throw error;
    console.error(`NOT RUN: the arm64 layer. ${error.message}`);
    return undefined;
  })
  : undefined;

Deno.test({
  name: "the arm64 layer serves an invocation",
  ignore: deno === undefined,
  async fn() {
    const module = `export const handler = ({ a }) => [a + 1, Deno.build.arch, Deno.version.deno];`;
    await using app = await makeApp({ "one.ts": module }, {
      one: { module: "one.ts", memory: 2_048, timeout: 120 },
    });
    const layer = `${app.folder}/layer`;
    await Deno.chmod(app.folder, 0o755);
    const emulator = `#!/bin/sh\nexec ${qemu} -L ${LIBRARIES} "\${0%/*}/deno-arm64" "$@"\n`;
    await writeFiles(layer, [
      ...await layerFiles("arm64"),
      ...(isNative ? [] : [
        { path: "bin/deno", data: new TextEncoder().encode(emulator), isExecutable: true },
      ]),
      { path: isNative ? "bin/deno" : "bin/deno-arm64", data: deno!, isExecutable: true },
    ]);
    const log: string[] = [];
    const options: Parameters<typeof SandboxHost.open>[0] = {
      application: await app.read(),
      manifestPath: app.manifest,
      log: ({ text }) => log.push(text),
      layer,
      initLimit: 120_000,
    };
    // The root folder of a function has no libraries for an emulator.
    const plain = plainFolders("the emulator needs its libraries");
    await using host = await SandboxHost.open(options, isNative ? undefined : plain);
    const outcome = await host.invoke("one", new TextEncoder().encode('{"a":1}'));
    assertEquals(
      JSON.parse(new TextDecoder().decode(outcome.payload)),
      [2, "aarch64", DENO_VERSION],
      log.join("\n"),
    );
    assertMatch(outcome.logTail, /^REPORT .*Init Duration/m);
  },
});
