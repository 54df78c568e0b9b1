import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { dirname } from "node:path";
import { run, temporaryFolder } from "../../testdata/programs.ts";
import { makeZip } from "../archives/archive.ts";
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
  // In its own process, because tests that run side by side share the environment.
  const { stdout, stderr } = await run(Deno.execPath(), ["eval", program], {
    env: {
      PATH: folder,
      XDG_CACHE_HOME: folder,
      TERRAFORM_MIRROR: `http://127.0.0.1:${mirror.addr.port}`,
      NO_COLOR: "1",
    },
  });
  assertMatch(
    stderr,
    /: it is not the file that was expected, but \d+ kB of text\/plain with another checksum/,
  );
  assertMatch(stdout, /^Fetching Terraform 1\.\d+\.\d+: http:/);
});

Deno.test("findTerraform() compares the program in the cache with its archive before every run", async () => {
  const folder = temporaryFolder();
  const files = [{ path: "terraform", data: new TextEncoder().encode("#!/bin/sh\necho good\n") }];
  const zip = await makeZip(files);
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();
  let requests = 0;
  await using mirror = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    requests++;
    return new Response(zip);
  });
  const module = new URL("find_terraform.ts", import.meta.url);
  const find = async (args = ["--allow-all"]) => {
    const program = `const { findTerraform } = await import("${module}");
      const { os, arch } = Deno.build;
      const platform = os + "_" + (arch === "aarch64" ? "arm64" : "amd64");
      console.log(await findTerraform(() => {}, { [platform]: "${sum}" }));`;
    await Deno.writeTextFile(`${folder}/find.ts`, program);
    const { stdout, stderr } = await run(
      Deno.execPath(),
      ["run", "--no-prompt", ...args, `${folder}/find.ts`],
      {
        env: {
          PATH: folder,
          XDG_CACHE_HOME: `${folder}/cache`,
          TERRAFORM_MIRROR: `http://127.0.0.1:${mirror.addr.port}`,
        },
      },
    );
    assertEquals(stderr, "");
    return stdout.trim();
  };
  const program = await find();
  const content = () => Deno.readTextFile(program);
  const [archive] = [...Deno.readDirSync(dirname(program))].filter(({ name }) => /zip$/.test(name));
  assertEquals([requests, await content()], [1, "#!/bin/sh\necho good\n"]);
  await Deno.writeTextFile(program, "#!/bin/sh\necho evil\n");
  assertEquals([await find(), await content()], [program, "#!/bin/sh\necho good\n"]);
  assertEquals(requests, 1);
  await Deno.writeTextFile(`${dirname(program)}/${archive!.name}`, "evil");
  await Deno.remove(program);
  assertEquals([await find(), await content(), requests], [program, "#!/bin/sh\necho good\n", 2]);
  const limited = [`--allow-read=${folder}/cache/mate`, "--allow-env", "--allow-import"];
  assertEquals(await find(limited), program, "a process that may not write there");
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
