/**
 * The folder for what can be had again, but slowly: `mate` in the user's folder of caches.
 *
 * @returns The path.
 * @throws {Error} If no variable tells where caches go.
 */
export function cacheFolder(): string {
  const home = Deno.env.get("HOME") ?? Deno.env.get("USERPROFILE");
  const caches = Deno.env.get("XDG_CACHE_HOME") || (home && `${home}/.cache`);
  if (!caches) {
    throw new Error("Cannot choose a folder for what is downloaded: set XDG_CACHE_HOME or HOME");
  }
  return `${caches}/mate`;
}

/**
 * Keeps a file under its name only once it is complete, also when several processes do so at once.
 *
 * @param file The path.
 * @param data What is in it.
 */
export async function keep(file: string, data: Uint8Array): Promise<void> {
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  const part = `${file}.${crypto.randomUUID()}`;
  try {
    await Deno.writeFile(part, data);
    await Deno.rename(part, file);
  } catch (error) {
    await Deno.remove(part).catch(() => {}); // the first error says more than a second
    throw error;
  }
}
