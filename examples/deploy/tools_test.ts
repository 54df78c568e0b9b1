import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeZip } from "../../cli/bundle/archive.ts";

const here = new URL("../", import.meta.url).pathname.replace(/\/$/, "");
const ignore = Deno.build.os === "windows";

/** A mirror of files, whose address is the first argument of the test. */
async function withMirror(
  files: Record<string, Uint8Array<ArrayBuffer>>,
  test: (url: string, folder: string) => Promise<void>,
): Promise<void> {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      const file = files[new URL(request.url).pathname];
      return file ? new Response(file) : new Response("Not here", { status: 404 });
    },
  );
  const folder = await Deno.makeTempDir({ prefix: "tools of " });
  try {
    await Deno.mkdir(`${folder}/deploy`);
    for (const name of ["common.sh", "tools.sh", "explain.sh", "tools.txt"]) {
      await Deno.copyFile(`${here}/deploy/${name}`, `${folder}/deploy/${name}`);
    }
    await test(`http://127.0.0.1:${server.addr.port}`, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs a line of shell after the scripts' functions. */
async function shell(
  folder: string,
  line: string,
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: [
      "-c",
      `set -euo pipefail; here=$1; . "$here/deploy/common.sh"; ${line}`,
      "-",
      folder,
    ],
    env: { LC_ALL: "C", ...env },
  }).output();
  const text = new TextDecoder();
  return { code, output: text.decode(stdout) + text.decode(stderr) };
}

/** An archive with a program that answers `--version` with a line. */
async function archive(
  kind: "zip" | "tgz",
  name: string,
  version: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const program = `#!/bin/sh\necho "${version}"\n`;
  if (kind === "zip") {
    return await makeZip([{ path: name, data: new TextEncoder().encode(program) }]);
  }
  const folder = await Deno.makeTempDir();
  await Deno.mkdir(`${folder}/package`);
  await Deno.writeTextFile(`${folder}/package/${name}`, program, { mode: 0o755 });
  const args = ["-czf", "-", "-C", folder, `package/${name}`];
  const { code, stdout } = await new Deno.Command("tar", { args }).output();
  assertEquals(code, 0);
  await Deno.remove(folder, { recursive: true });
  return stdout;
}

/** Pins an archive in place of the real one. */
async function pin(
  folder: string,
  name: string,
  hash: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest(hash, bytes)).toHex();
  const { output } = await shell(folder, "platform");
  await Deno.writeTextFile(
    `${folder}/deploy/tools.txt`,
    `${name} 1.11.4 ${output.trim()} ${digest} tool\n`,
  );
}

for (
  const [name, kind, hash, version, mirror] of [
    ["terraform", "zip", "SHA-256", "Terraform v1.11.4", "TERRAFORM_MIRROR"],
    ["deno", "tgz", "SHA-512", "deno 2.9.5 (stable)", "NPM_CONFIG_REGISTRY"],
  ] as const
) {
  const fetchIt = `mkdir -p "$state"; fetch_tool ${name}; "$tool" --version`;

  Deno.test(
    { name: `fetch_tool fetches ${name} once, if its checksum is right`, ignore },
    async () => {
      const files: Record<string, Uint8Array<ArrayBuffer>> = {
        "/tool": await archive(kind, name, version),
      };
      await withMirror(files, async (url, folder) => {
        await pin(folder, name, hash, files["/tool"]!);
        const first = await shell(folder, fetchIt, { [mirror]: `${url}/` });
        assertEquals(first.code, 0, first.output);
        assertMatch(
          first.output,
          new RegExp(`^Fetching ${name} 1\\.11\\.4.*\\n${version.slice(0, 9)}`),
        );
        delete files["/tool"];
        assertEquals((await shell(folder, fetchIt, { [mirror]: url })).output, `${version}\n`);
      });
    },
  );

  Deno.test({ name: `fetch_tool refuses a ${name} whose checksum is wrong`, ignore }, async () => {
    const other = new TextEncoder().encode("something else");
    await withMirror({ "/tool": other }, async (url, folder) => {
      await pin(folder, name, hash, await archive(kind, name, version));
      const { code, output } = await shell(folder, fetchIt, { [mirror]: url });
      assertEquals(code, 1);
      assertMatch(output, /Error: The checksum of "http.*\/tool" is wrong/);
      assertEquals([...Deno.readDirSync(`${folder}/.state`)], [], "nothing is left behind");
    });
  });

  Deno.test({ name: `fetch_tool says that ${name} cannot be fetched`, ignore }, async () => {
    await withMirror({}, async (url, folder) => {
      const { code, output } = await shell(folder, fetchIt, { [mirror]: url });
      assertEquals(code, 1);
      assertMatch(output, /Error: Cannot fetch "http.*"\nCheck the network \(and HTTPS_PROXY/);
      assertEquals([...Deno.readDirSync(`${folder}/.state`)], []);
    });
  });
}

Deno.test({ name: "fetch_tool refuses what does not run on this machine", ignore }, async () => {
  const files = { "/tool": await archive("zip", "terraform", "no version at all") };
  await withMirror(files, async (url, folder) => {
    await pin(folder, "terraform", "SHA-256", files["/tool"]);
    const { code, output } = await shell(folder, 'mkdir "$state"; fetch_tool terraform', {
      TERRAFORM_MIRROR: url,
    });
    assertEquals(code, 1);
    assertMatch(output, /Error: The fetched terraform 1\.11\.4 does not run on this machine/);
  });
});

Deno.test(
  { name: "fit takes the versions that the scripts were written for", ignore },
  async () => {
    const folder = await Deno.makeTempDir();
    try {
      for (
        const [name, version, isFit] of [
          ["terraform", "Terraform v1.11.4", true],
          ["terraform", "Terraform v1.9.8", false],
          ["terraform", "Terraform v2.0.0", false],
          ["tofu", "OpenTofu v1.10.0", true],
          ["deno", "deno 2.9.0 (stable, release, x86_64-unknown-linux-gnu)", true],
          ["deno", "deno 2.10.1 (stable)", true],
          ["deno", "deno 2.8.3 (stable)", false],
          ["deno", "deno 1.46.3", false],
          ["deno", "", false],
        ] as const
      ) {
        const program = `${folder}/program`;
        await Deno.writeTextFile(program, `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
        const { output } = await shell(here, `fit ${name} ${program} && echo yes || echo no`);
        assertEquals(output, isFit ? "yes\n" : "no\n", version);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test({ name: "platform takes 64-bit machines alone", ignore }, async () => {
  for (
    const [system, machine, answer] of [
      ["Linux", "x86_64", /^linux-x86_64\n$/],
      ["Linux", "aarch64", /^linux-arm64\n$/],
      ["Darwin", "arm64", /^darwin-arm64\n$/],
      ["Linux", "armv7l", /Error: There are no tools for the processor "armv7l"\nInstall/],
      ["MINGW64_NT", "x86_64", /Error: This system, "MINGW64_NT", is neither Linux nor macOS/],
    ] as const
  ) {
    const uname = `uname() { case $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac; }`;
    assertMatch((await shell(here, `${uname}; platform`)).output, answer);
  }
});

Deno.test({ name: "a missing tool is named, with how to get it", ignore }, async () => {
  const { code, output } = await shell(here, "need no-such-tool");
  assertEquals(code, 1);
  assertMatch(
    output,
    /Error: The tool "no-such-tool" is missing\nInstall it, for instance by: apt-get/,
  );
});

Deno.test({ name: "find_tools names what it needs to fetch the rest", ignore }, async () => {
  await withMirror({}, async (_, folder) => {
    // A machine with the least of tools: no Terraform, no Deno, no curl.
    await Deno.mkdir(`${folder}/bin`);
    for (const program of ["cat", "cut", "dirname", "grep", "mkdir", "mktemp", "sed", "uname"]) {
      const { stdout } = await new Deno.Command("which", { args: [program] }).output();
      await Deno.symlink(new TextDecoder().decode(stdout).trim(), `${folder}/bin/${program}`);
    }
    const { code, output } = await shell(folder, 'mkdir "$state"; PATH="$here/bin"; find_tools');
    assertEquals(code, 1);
    assertMatch(output, /Error: The tool "curl" is missing\nInstall it/);
  });
});

Deno.test(
  { name: "parse_options refuses what is no option, and no value of one", ignore },
  async () => {
    for (
      const [script, options, answer] of [
        ["deploy.sh", "--yes --region eu-west-1 --arch=arm64", /^eu-west-1 arm64 1\n$/],
        ["undeploy.sh", "--yes --region=us-gov-east-1", /^us-gov-east-1 {2}1\n$/],
        [
          "deploy.sh",
          "--yes --region",
          /The option --region lacks its value\nSee deploy.sh --help/,
        ],
        ["deploy.sh", "--region --yes", /The option --region lacks its value/],
        ["deploy.sh", "--yes --region=", /The option --region lacks its value/],
        ["deploy.sh", "--yes --region Ireland", /There is no region "Ireland"\nRegions look like/],
        [
          "deploy.sh",
          "--yes --arch arm",
          /There is no architecture "arm"\nChoose --arch x86_64 or/,
        ],
        [
          "undeploy.sh",
          "--yes --arch arm64",
          /There is no option "--arch"\nSee undeploy.sh --help/,
        ],
        ["deploy.sh", "--force", /There is no option "--force"/],
        ["deploy.sh", "", /Nobody can be asked: the input is no terminal/],
      ] as const
    ) {
      const line = `parse_options ${script} ${options}; echo "$region $architecture $yes"`;
      assertMatch((await shell(here, line)).output, answer);
    }
  },
);

Deno.test("every tool is pinned for every platform", async () => {
  const lines = (await Deno.readTextFile(`${here}/deploy/tools.txt`)).split("\n")
    .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(" "));
  for (const [name, bits] of [["terraform", 256], ["deno", 512]] as const) {
    for (const platform of ["linux-x86_64", "linux-arm64", "darwin-x86_64", "darwin-arm64"]) {
      const pins = lines.filter(([tool, , on]) => tool === name && on === platform);
      assertEquals(pins.length, 1, `${name} on ${platform}`);
      const [, version = "", , digest = "", path = ""] = pins[0]!;
      assertMatch(digest, new RegExp(`^[0-9a-f]{${bits / 4}}$`));
      assert(path.includes(version), `${path} is of another version than ${version}`);
    }
  }
});
