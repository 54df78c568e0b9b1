/** What is used here of the runtimes' globals; the library names no type of theirs. */
export interface EnvironmentHost {
  Deno?: {
    env: { get(name: string): string | undefined };
    permissions: { querySync(descriptor: { name: "env"; variable: string }): { state: string } };
  };
  process?: { env?: Record<string, string | undefined> };
}

/** An environment variable; `undefined` where it is not set, may not be read, or there are none. */
export function readEnvironment(
  name: string,
  host: EnvironmentHost = globalThis as EnvironmentHost,
): string | undefined {
  // On Deno `process` costs milliseconds, and reading without asking first may stop at a prompt.
  const deno = host.Deno;
  if (deno === undefined) return host.process?.env?.[name];
  const { state } = deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? deno.env.get(name) : undefined;
}
