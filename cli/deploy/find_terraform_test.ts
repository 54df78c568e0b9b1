import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { makeZip } from "../bundle/archive.ts";
import { unzip } from "./find_terraform.ts";

Deno.test("findTerraform() refuses Terraform before 1.10, and an archive with a wrong checksum", async () => {
  const folder = await Deno.makeTempDir();
  await using mirror = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    return new Response("something else", { status: url.endsWith(".zip") ? 200 : 404 });
  });
  try {
    await Deno.writeTextFile(`${folder}/terraform`, "#!/bin/sh\necho Terraform v1.9.8\n", {
      mode: 0o755,
    });
    const module = new URL("find_terraform.ts", import.meta.url);
    // In a process of its own, because tests that run side by side share the environment.
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", `await (await import("${module}")).findTerraform(console.log)`],
      env: {
        PATH: folder,
        XDG_CACHE_HOME: folder,
        TERRAFORM_MIRROR: `http://127.0.0.1:${mirror.addr.port}`,
        NO_COLOR: "1",
      },
    }).output();
    assertMatch(new TextDecoder().decode(stderr), /: its checksum is "/);
    assertMatch(new TextDecoder().decode(stdout), /^Fetching Terraform 1\.\d+\.\d+: http:/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
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
