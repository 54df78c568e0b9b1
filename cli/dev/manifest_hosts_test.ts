import { assertEquals } from "@std/assert";
import { readManifest } from "../manifest/manifest.ts";
import { makeApp } from "../testdata/bundle.ts";
import { isolation, testRuntimes } from "../testdata/sandbox.ts";
import { createSandboxHost } from "./manifest_hosts.ts";

testRuntimes("createSandboxHost() merges NODE_OPTIONS as a deployment does", async (runtime) => {
  const code = `export const handler = async () => process.env.NODE_OPTIONS ?? "none";`;
  const OPTION = "--enable-source-maps";
  const cases = [
    ["none", {}, "none", OPTION],
    ["other", { NODE_OPTIONS: "--no-warnings" }, "--no-warnings", `${OPTION} --no-warnings`],
    ["same", { NODE_OPTIONS: OPTION }, OPTION, OPTION],
  ] as const;
  const functions = cases.map(([name, environment]) =>
    [name, { module: "options.ts", runtime, environment, timeout: 30 }] as const
  );
  await using app = await makeApp({ "options.ts": code }, Object.fromEntries(functions));
  const manifest = await readManifest(app.manifest);
  await using host = await createSandboxHost({ manifest, manifestPath: app.manifest, log() {} });
  for (const [name, , onDeno, onNode] of cases) {
    const { payload } = await host.invoke(name, new TextEncoder().encode("{}"));
    const found: unknown = JSON.parse(new TextDecoder().decode(payload));
    assertEquals(found, runtime === "deno" ? onDeno : onNode, name);
  }
}, { ignore: isolation === undefined });
