import { assertMatch, assertRejects } from "@std/assert";
import { findTerraform } from "./find_terraform.ts";

/** Runs something with other environment variables. */
async function withEnvironment<T>(
  variables: Record<string, string>,
  run: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    return await run();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

Deno.test("findTerraform() takes no Terraform before 1.10, and fetches none with another checksum", async () => {
  const folder = await Deno.makeTempDir();
  await using mirror = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    return url.endsWith(".zip")
      ? new Response("something else")
      : new Response(null, { status: 404 });
  });
  try {
    await Deno.writeTextFile(`${folder}/terraform`, "#!/bin/sh\necho Terraform v1.9.8\n", {
      mode: 0o755,
    });
    const environment = {
      PATH: folder,
      XDG_CACHE_HOME: folder,
      TERRAFORM_MIRROR: `http://127.0.0.1:${mirror.addr.port}`,
    };
    const lines: string[] = [];
    await withEnvironment(environment, async () => {
      await assertRejects(
        () => findTerraform((line) => lines.push(line)),
        Error,
        'its checksum is "',
      );
    });
    assertMatch(lines.join(), /^Fetching Terraform 1\.\d+\.\d+: http:/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
