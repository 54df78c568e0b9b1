/** What `lambda-api` asks for only where files are sent. */
const EXTERNAL = ["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"];

/** How to bundle. */
export interface BundleOptions {
  /** Whether to minify, as for a deployment. */
  readonly isMinified?: boolean;
}

/**
 * Bundles a module and all it imports into one file, as functions are deployed, so that both runtimes run the same.
 *
 * @throws {Error} If `deno bundle` fails; the message holds what it says.
 */
export async function bundle(
  entry: string | URL,
  output: string,
  { isMinified = false }: BundleOptions = {},
): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--no-lock",
      ...EXTERNAL.flatMap((name) => ["--external", name]),
      ...(isMinified ? ["--minify"] : []),
      "--output",
      output,
      String(entry),
    ],
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) throw new Error(`Cannot bundle ${entry}: ${new TextDecoder().decode(stderr)}`);
}
