/** What is used of Deno here; the library names no type of its. */
interface DenoLike {
  env: { get(name: string): string | undefined };
  permissions: { querySync(descriptor: { name: "env"; variable: string }): { state: string } };
}

/** What is used of Node.js here. */
interface ProcessLike {
  env?: Record<string, string | undefined>;
}

/** An environment variable; `undefined` where it is not set, may not be read, or there are none. */
export function readEnvironment(name: string): string | undefined {
  const host = globalThis as { Deno?: DenoLike; process?: ProcessLike };
  // On Deno `process` costs milliseconds, and reading without asking first may stop at a prompt.
  const deno = host.Deno;
  if (deno !== undefined) {
    const { state } = deno.permissions.querySync({ name: "env", variable: name });
    return state === "granted" ? deno.env.get(name) : undefined;
  }
  return host.process?.env?.[name];
}
