const MINIMUM = [2, 8] as const;

/** Says which Deno the tool needs. Earlier versions of Deno cannot bundle functions with their names. */
export function denoProblem(version: string = Deno.version.deno): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return undefined;
  const wanted = MINIMUM.join(".");
  return `Cannot run on Deno ${version}: expected Deno ${wanted} or later; "deno upgrade" installs it`;
}
