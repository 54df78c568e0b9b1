import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import "../../testdata/own_environment.ts";
import { temporaryFolder } from "../../testdata/programs.ts";
import { PUBLISHED } from "./provider.ts";
import { type Engine, keepProviderLock, writeProviderLock } from "./provider_lock.ts";

/** A block of a lock file, as `terraform init` writes it. */
const block = (registry: string, version: string, hash: string, name = "hashicorp/aws") =>
  `provider "registry.${registry}/${name}" {
  version     = "${version}"
  constraints = "${version}"
  hashes = [
    "${hash}",
  ]
}
`;

const TERRAFORM: Engine = { program: "terraform", provider: "6.73.0" };
const TOFU: Engine = { program: "tofu", provider: "5.100.0" };
const REGISTRY: Readonly<Record<string, string>> = {
  terraform: "terraform.io",
  tofu: "opentofu.org",
};

/** A machine with a cache of its own, and a checkout with the folder of a deployment. */
async function makeMachine(checkout: string = temporaryFolder()) {
  const cache = temporaryFolder();
  const folder = `${checkout}/.mate/deploy/app`;
  const file = `${checkout}/app.lock.hcl`;
  const binary = `${folder}/.terraform/providers/aws`;
  await Deno.mkdir(`${folder}/.terraform/providers`, { recursive: true });
  const lock = `${folder}/.terraform.lock.hcl`;
  const places = { folder, file };
  return {
    checkout,
    file,
    binary,
    /** Writes the lock, and returns what Terraform requires. */
    async write(engine: Engine): Promise<string> {
      Deno.env.set("XDG_CACHE_HOME", cache);
      await writeProviderLock(places, engine);
      return await Deno.readTextFile(lock);
    },
    /** Keeps what Terraform has written. */
    async keep(engine: Engine, text: string): Promise<boolean> {
      Deno.env.set("XDG_CACHE_HOME", cache);
      await Deno.writeTextFile(lock, text);
      return await keepProviderLock(places, engine);
    },
  };
}

Deno.test("keepProviderLock() shares the checksums of the first run by a file beside the manifest", async () => {
  const first = await makeMachine();
  const others = block("terraform.io", "3.7.0", "h1:random", "hashicorp/random");
  for (const engine of [TERRAFORM, TOFU, { ...TERRAFORM, provider: "6.74.0" }]) {
    const own = block(REGISTRY[engine.program]!, engine.provider, "h1:one");
    assertEquals(await first.write(engine), "", "the first run");
    assertEquals(await first.keep(engine, `# written\n\n${own}\n${others}`), true);
    assertEquals(await first.write(engine), own, "the second run");
    assertEquals(await first.keep(engine, own), false, "nothing has changed");
    const second = await makeMachine(first.checkout);
    assertEquals(await second.write(engine), own, "another machine");
  }
  const shared = await Deno.readTextFile(first.file);
  assertStringIncludes(shared, "Keep this file in version control");
  assertEquals(shared.match(/version {5}= ".*"/g), [
    'version     = "5.100.0"',
    'version     = "6.73.0"',
    'version     = "6.74.0"',
  ]);
  assertEquals(shared.includes("random"), false);
  // Terraform adds the checksum of another system.
  const more = block("terraform.io", "6.73.0", "h1:two");
  assertEquals(await first.keep(TERRAFORM, more), true);
  assertEquals(await first.write(TERRAFORM), more);
  assertEquals((await Deno.readTextFile(first.file)).includes("6.74.0"), true);
});

Deno.test("writeProviderLock() does not use a provider of a clone", async () => {
  const machine = await makeMachine();
  const own = block("terraform.io", "6.73.0", "h1:own");
  await machine.write(TERRAFORM);
  await machine.keep(TERRAFORM, own);
  const isKept = async (shared: string | undefined) => {
    if (shared === undefined) await Deno.remove(machine.file);
    else await Deno.writeTextFile(machine.file, shared);
    await Deno.mkdir(dirname(machine.binary), { recursive: true });
    await Deno.writeTextFile(machine.binary, "");
    const lock = await machine.write(TERRAFORM);
    return [existsSync(machine.binary), lock];
  };
  assertEquals(await isKept(own), [true, own]);
  const foreign = block("terraform.io", "6.73.0", "h1:foreign");
  assertEquals(await isKept(foreign), [false, foreign]);
  assertEquals(await isKept(undefined), [false, own]);
  const others = block("terraform.io", "6.74.0", "h1:one") +
    block("opentofu.org", "6.73.0", "h1:a");
  assertEquals(await isKept(others), [false, own]);
  await Deno.remove(machine.file);
  await Deno.symlink("/etc/passwd", machine.file);
  await assertRejects(() => machine.write(TERRAFORM), Error, "it is a link");
  await assertRejects(() => machine.keep(TERRAFORM, own), Error, "it is a link");
});

Deno.test("writeProviderLock() gives Terraform the published checksums of the versions that have them", async () => {
  const machine = await makeMachine();
  await Deno.writeTextFile(machine.file, block("terraform.io", "6.25.0", "h1:foreign"));
  assertEquals(Object.keys(PUBLISHED), ["5.100.0", "6.25.0"]);
  for (const provider of Object.keys(PUBLISHED)) {
    const engine = { program: "terraform", provider };
    const lock = await machine.write(engine);
    assertEquals(await machine.keep(engine, lock), false);
    assertEquals(/registry\.terraform\.io/.test(lock), true);
    assertEquals(/version {5}= "(.*)"/.exec(lock)![1], provider);
    assertEquals(/constraints = "(.*)"/.exec(lock)![1], provider);
    // The published list of archives. Terraform compares unpacked ones by another checksum.
    assertEquals(new Set(lock.match(/"zh:[0-9a-f]{64}"/g)).size, 15);
    assertEquals(new Set(lock.match(/"h1:[\w+/]{43}="/g)).size, provider === "5.100.0" ? 14 : 4);
  }
});
