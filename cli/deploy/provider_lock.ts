import { cacheFolder, ifThere, keep } from "../programs/downloads.ts";
import { refuseLink } from "./own_files.ts";
import { PUBLISHED } from "./provider.ts";

/** The program that runs, `terraform` or `tofu`, and the version of the provider that it runs. */
export interface Engine {
  readonly program: string;
  readonly provider: string;
}

/** Where checksums are kept. */
export interface LockPlaces {
  /** The folder of the deployment. */
  readonly folder: string;
  /** The lock file beside the manifest, which belongs into version control. */
  readonly file: string;
}

const HEADER =
  `# The checksums of Terraform's provider for AWS, as "mate deploy" found them at its first run.
# Keep this file in version control.
`;

/**
 * Writes the checksums of the provider for `terraform init`, which then requires them. If the tool has no published checksums of
 * the version, they are those of the lock file beside the manifest, or of the first run on this machine. OpenTofu has a registry
 * of its own, so the tool has no checksums for it.
 *
 * A lock file may be that of a clone, and so may be the provider in the folder of the deployment. So with checksums that this
 * machine has not seen, the provider is downloaded again, and its signature is checked.
 */
export async function writeProviderLock(places: LockPlaces, engine: Engine): Promise<void> {
  const { folder } = places;
  const write = (text: string) => Deno.writeTextFile(`${folder}/.terraform.lock.hcl`, text);
  const published = publishedLock(engine);
  if (published !== undefined) return await write(published);
  await refuseLink(places.file);
  const shared = await readBlock(places.file, engine);
  const own = await readBlock(keptLock(engine), engine);
  if (shared !== own) {
    await ifThere(Deno.remove(`${folder}/.terraform/providers`, { recursive: true }));
  }
  await write(shared ?? own ?? "");
}

/**
 * Keeps the checksums that `terraform init` has written, if the tool has none.
 *
 * @returns Whether the lock file beside the manifest has changed.
 */
export async function keepProviderLock(
  { folder, file }: LockPlaces,
  engine: Engine,
): Promise<boolean> {
  if (publishedLock(engine) !== undefined) return false;
  const block = await readBlock(`${folder}/.terraform.lock.hcl`, engine);
  if (block === undefined) return false;
  await keep(keptLock(engine), new TextEncoder().encode(block));
  await refuseLink(file);
  const former = await ifThere(Deno.readTextFile(file)) ?? "";
  const others = blocksIn(former).filter((one) => !isOf(one, engine));
  const text = [HEADER, ...[...others, block].sort()].join("\n");
  if (text === former) return false;
  await Deno.writeTextFile(file, text);
  return true;
}

const publishedLock = ({ program, provider }: Engine) =>
  program === "terraform" ? PUBLISHED[provider] : undefined;

const keptLock = ({ program, provider }: Engine) =>
  `${cacheFolder()}/${program}-aws-${provider}.lock.hcl`;

const blocksIn = (text: string): string[] =>
  text.match(/^provider "[^"\n]+" \{\n[^]*?^\}\n/gm) ?? [];

/** Tells whether a block is that of the provider for AWS in the registry and the version of an engine. */
function isOf(block: string, { program, provider }: Engine): boolean {
  const registry = program === "terraform" ? "registry.terraform.io" : "registry.opentofu.org";
  const [, version] = /^ {2}version +=\s"([^"]*)"$/m.exec(block) ?? [];
  return block.startsWith(`provider "${registry}/hashicorp/aws" {`) && version === provider;
}

/** Reads the block of an engine; `undefined` if the file or the block is missing. The file may have those of others. */
async function readBlock(file: string, engine: Engine): Promise<string | undefined> {
  return blocksIn(await ifThere(Deno.readTextFile(file)) ?? "").find((one) => isOf(one, engine));
}
