import type { Isolation } from "../platform/isolation/isolation.ts";

/**
 * A folder for the warm-up. Compiled code names the path it was compiled at: without a namespace, which shows Lambda's
 * paths, only a folder that is always the same makes bundles that are.
 *
 * @param isolation How functions are started.
 * @returns The folder, and what removes it.
 */
export async function workFolder(
  isolation: Isolation,
): Promise<AsyncDisposable & { readonly path: string }> {
  if (isolation.kind !== "plain folders") {
    const path = await Deno.makeTempDir({ prefix: "mate-warm-" });
    await Deno.chmod(path, 0o755);
    return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
  }
  const path = `${Deno.env.get("TMPDIR") ?? "/tmp"}/mate-warm-${Deno.uid()}`;
  // The lock ends with the process, however that ends. Its file stays, for another may wait for it.
  const lock = await Deno.open(`${path}.lock`, { create: true, write: true });
  try {
    await lock.lock(true);
    await removeFolder(path);
    await Deno.mkdir(path);
    await Deno.chmod(path, 0o755);
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      try {
        await removeFolder(path);
      } finally {
        lock.close();
      }
    },
  };
}

/** Removes a folder that may not be there. */
async function removeFolder(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
