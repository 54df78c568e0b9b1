import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { run, temporaryFolder } from "../../testdata/programs.ts";
import { makeZip } from "../bundle/archive.ts";
import { unzip } from "./find_terraform.ts";

Deno.test("findTerraform() refuses Terraform before 1.10, and an archive with a wrong checksum", async () => {
  const folder = temporaryFolder();
  await using mirror = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    return new Response("something else", { status: url.endsWith(".zip") ? 200 : 404 });
  });
  await Deno.writeTextFile(`${folder}/terraform`, "#!/bin/sh\necho Terraform v1.9.8\n", {
    mode: 0o755,
  });
  const module = new URL("find_terraform.ts", import.meta.url);
  const program = `await (await import("${module}")).findTerraform(console.log)`;
  // In a process of its own, because tests that run side by side share the environment.
  const { stdout, stderr } = await run(Deno.execPath(), ["eval", program], {
    env: {
      PATH: folder,
      XDG_CACHE_HOME: folder,
      TERRAFORM_MIRROR: `http://127.0.0.1:${mirror.addr.port}`,
      NO_COLOR: "1",
    },
  });
  assertMatch(stderr, /: its checksum is "/);
  assertMatch(stdout, /^Fetching Terraform 1\.\d+\.\d+: http:/);
});

Deno.test("unzip() reads one file of a zip", async () => {
  const files = ["LICENSE.txt", "terraform", "z"].map((path) => ({
    path,
    data: new TextEncoder().encode(path.repeat(1_000)),
  }));
  const zip = await makeZip(files);
  for (const { path, data } of files) assertEquals(await unzip(zip, path), data, path);
  await assertRejects(() => unzip(zip, "tofu"), Error, "does not contain it");
});
