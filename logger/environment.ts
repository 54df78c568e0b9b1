/** The globals of the runtimes that the logger reads. The library names no type of a runtime. */
export interface EnvironmentHost {
  Deno?: {
    env: { get(name: string): string | undefined };
    permissions: { querySync(descriptor: { name: "env"; variable: string }): { state: string } };
  };
  process?: { env?: Record<string, string | undefined> };
}

/** Reads an environment variable. The result is `undefined` if the variable is not set or may not be read. */
export type ReadEnvironment = (name: string) => string | undefined;

/** Makes the function that reads variables on the runtime with these globals. */
export function environmentOf(
  host: EnvironmentHost = globalThis as EnvironmentHost,
): ReadEnvironment {
  // On Deno, `process` costs milliseconds, and a read without permission may stop at a prompt.
  const deno = host.Deno;
  if (deno === undefined) return (name) => host.process?.env?.[name];
  return (variable) => {
    const { state } = deno.permissions.querySync({ name: "env", variable });
    return state === "granted" ? deno.env.get(variable) : undefined;
  };
}
