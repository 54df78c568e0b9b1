import { Buffer } from "node:buffer";
import { cacheFolder, checksumOf, download, ifThere, keep, makeExecutable } from "./downloads.ts";
import { ABSENT, findProgram, prepare } from "./find_program.ts";

/** The version of Terraform to fetch if the PATH has no version that fits. */
const VERSION = "1.11.4";

/** The SHA-256 of its archives, as in the file SHA256SUMS at releases.hashicorp.com. */
const CHECKSUMS: Readonly<Record<string, string>> = {
  linux_amd64: "1ce994251c00281d6845f0f268637ba50c0005657eb3cf096b92f753b42ef4dc",
  linux_arm64: "a43d1d0da9b9bab214a8305a39db0e40869572594ccf50c416a7756499143633",
  darwin_amd64: "a56d5002b9f7647291faccc3dd1a70350e60fb61e4c45037629508b8fdc2575b",
  darwin_arm64: "867e0808fa971217043e25b7a792b10720c79b1546f8a68479b74f138be73e18",
};

/**
 * Finds Terraform or OpenTofu 1.10 or later: on the PATH, in the cache, or at releases.hashicorp.com.
 *
 * `TERRAFORM_MIRROR` names another place for the archives. The checksum of the archive must be the pinned checksum. The archive
 * stays beside the program, and the program is compared with it before every run.
 *
 * @throws {Error} If HashiCorp has no archive for this machine, if the archive cannot be downloaded, or if its checksum is
 * wrong.
 */
export async function findTerraform(
  print: (line: string) => void,
  checksums: Readonly<Record<string, string>> = CHECKSUMS,
): Promise<string> {
  for (const name of ["terraform", "tofu"]) {
    const program = await findProgram(name);
    if (program !== undefined && await fits(program)) return program;
  }
  const platform = `${Deno.build.os}_${Deno.build.arch === "aarch64" ? "arm64" : "amd64"}`;
  const checksum = checksums[platform];
  if (checksum === undefined) {
    throw new Error(`Cannot fetch Terraform for ${platform}: install Terraform 1.10 or later`);
  }
  // Not inside the cache folder, because the tool may write there, and Deno runs no program that the tool may write.
  const folder = `${cacheFolder()}-terraform-${VERSION}`;
  const program = `${folder}/terraform`;
  // The process that deploys may not write there. It runs the program that was checked before it started.
  const { state } = await Deno.permissions.query({ name: "write", path: folder });
  if (state !== "granted") return program;
  const mirror = Deno.env.get("TERRAFORM_MIRROR") || "https://releases.hashicorp.com";
  const file = `terraform_${VERSION}_${platform}.zip`;
  const url = `${mirror.replace(/\/$/, "")}/terraform/${VERSION}/${file}`;
  const pinned = `sha256-${Uint8Array.fromHex(checksum).toBase64()}`;
  let archive = await ifThere(Deno.readFile(`${folder}/${file}`));
  if (archive === undefined || await checksumOf(archive, pinned) !== pinned) {
    print(`Fetching Terraform ${VERSION}: ${url}`);
    const what = `Terraform ${VERSION}`;
    const remedy = "check the connection and TERRAFORM_MIRROR, or install Terraform 1.10 or later";
    archive = await download(url, { what, checksum: pinned, remedy });
    await keep(`${folder}/${file}`, archive);
  }
  const content = await unzip(archive, "terraform");
  const present = await ifThere(Deno.readFile(program));
  if (present === undefined || Buffer.compare(present, content) !== 0) await keep(program, content);
  await makeExecutable(program);
  return program;
}

async function fits(program: string): Promise<boolean> {
  try {
    const { stdout } = await prepare(program, { args: ["--version"], stderr: "null" })
      .output();
    const [, minor = 0] = /v1\.(\d+)\./.exec(new TextDecoder().decode(stdout)) ?? [];
    return Number(minor) >= 10;
  } catch (error) {
    if (ABSENT.some((type) => error instanceof type)) return false;
    throw error;
  }
}

/**
 * Reads a file of a zip that has deflated entries and no comment. This is not a package, because it runs beside the keys of a
 * cloud, before the permissions of the process are limited.
 *
 * @throws {Error} If the zip does not contain the file.
 */
export async function unzip(zip: Uint8Array<ArrayBuffer>, name: string): Promise<Uint8Array> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const directoryEnd = zip.length - 22; // the record that ends the zip
  for (let at = view.getUint32(directoryEnd + 16, true); at < directoryEnd;) {
    const [nameSize, extraSize, commentSize] = [28, 30, 32]
      .map((offset) => view.getUint16(at + offset, true)) as [number, number, number];
    const end = at + 46 + nameSize;
    if (new TextDecoder().decode(zip.subarray(at + 46, end)) === name) {
      const size = view.getUint32(at + 20, true);
      const header = view.getUint32(at + 42, true);
      const start = header + 30 + view.getUint16(header + 26, true) +
        view.getUint16(header + 28, true);
      const content = new Blob([zip.subarray(start, start + size)]).stream();
      return await new Response(content.pipeThrough(new DecompressionStream("deflate-raw")))
        .bytes();
    }
    at = end + extraSize + commentSize;
  }
  throw new Error(`Cannot unzip "${name}": the zip does not contain it`);
}
