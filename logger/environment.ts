/** What is used here of the runtimes' globals; the library names no type of theirs. */
export interface EnvironmentHost {
  Deno?: {
    env: { get(name: string): string | undefined };
    permissions: { querySync(descriptor: { name: "env"; variable: string }): { state: string } };
  };
  process?: { env?: Record<string, string | undefined> };
}

/** Reads an environment variable; `undefined` where it is not set, may not be read, or there are none. */
export type ReadEnvironment = (name: string) => string | undefined;

/** How variables are read on the runtime with these globals. */
export function environmentOf(
  host: EnvironmentHost = globalThis as EnvironmentHost,
): ReadEnvironment {
  // On Deno `process` costs milliseconds, and reading without asking first may stop at a prompt.
  const deno = host.Deno;
  if (deno === undefined) return (name) => host.process?.env?.[name];
  const granted = new Set<string>(); // asking takes longer than reading
  return (name) => {
    if (!granted.has(name)) {
      const { state } = deno.permissions.querySync({ name: "env", variable: name });
      if (state !== "granted") return undefined;
      granted.add(name);
    }
    return deno.env.get(name);
  };
}
