/**
 * Returns the folder `mate` in the user's folder of caches. It keeps downloads and archives between runs.
 *
 * @throws {Error} If neither XDG_CACHE_HOME nor HOME is set.
 */
export function cacheFolder(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  const caches = Deno.env.get("XDG_CACHE_HOME") || (home && `${home}/.cache`);
  if (!caches) {
    throw new Error("Cannot choose a folder for downloads: set XDG_CACHE_HOME or HOME");
  }
  return `${caches}/mate`;
}

/** Writes a file at once: no process sees a part of the file, even if several processes write it. */
export async function keep(file: string, data: Uint8Array): Promise<void> {
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  const part = `${file}.${crypto.randomUUID()}`;
  try {
    await Deno.writeFile(part, data);
    await Deno.rename(part, file);
  } catch (error) {
    await Deno.remove(part).catch(() => {}); // the first error matters
    throw error;
  }
}
