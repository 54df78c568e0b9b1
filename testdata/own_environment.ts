/**
 * Gives a separate, empty environment to each test file that imports this module. `deno test --parallel` runs the files
 * in threads of one process, and the threads share the environment of the process.
 *
 * @module
 */
const variables = new Map<string, string>();

// On another runtime, the tests of the npm package run one after the other.
if ("Deno" in globalThis) {
  Object.assign(Deno.env, {
    get: (name: string) => variables.get(name),
    has: (name: string) => variables.has(name),
    toObject: () => Object.fromEntries(variables),
    set: (name: string, value: string) => void variables.set(name, String(value)),
    delete: (name: string) => void variables.delete(name),
  });
}
