import { dirname } from "node:path";
import { refuseLinks } from "../rules/links.ts";
import { ownFolder, readAddress } from "./data_folder.ts";

/**
 * Finds the platform that runs an application on this machine. Where the system tells functions from other programs, no file has
 * the secret of the platform: its front door tells it to programs of the developer.
 *
 * @returns The URL of the platform itself, or `undefined` if no platform holds the folder of the data.
 * @throws {LinkError} If a clone has brought a link in place of the folder, or in it.
 * @throws {Error} If the platform takes this program for one that passes on requests of functions.
 */
export async function findRunning(
  manifestPath: string,
  name: string,
  data: string | undefined,
): Promise<string | undefined> {
  const folder = data ?? ownFolder(dirname(manifestPath), name);
  if (data === undefined) await refuseLinks(dirname(folder), folder);
  const address = await readAddress(folder);
  if (address === undefined) return undefined;
  const response = await fetch(address, {
    redirect: "manual",
    headers: { Accept: "text/html" },
  });
  await response.body?.cancel();
  const place = response.headers.get("location") ?? (response.ok ? address : undefined);
  if (place !== undefined) return place.replace(/\/$/, "");
  throw new Error(
    `Cannot use the platform at ${address}: it takes this program for one that passes on requests of functions; run the command in a terminal of your own`,
  );
}
