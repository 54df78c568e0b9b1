/** A manifest cannot set this variable, because the names of its variables begin with a letter. */
export const VARIABLE = "_MATE_ENVIRONMENT";

/** The variable with the word that begins the message of a start without a network. */
export const START = "_MATE_START";

/**
 * Puts the variables of a manifest into one variable. So no name that a manifest chooses, such as `LD_PRELOAD`, affects the
 * programs that start a function.
 */
export function passEnvironment(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(environment) };
}

/**
 * Sets the variables of the manifest, in the process of the function. On AWS Lambda they are set already.
 *
 * @returns Whether variables were passed, which happens on this machine only.
 */
export function takeEnvironment(): boolean {
  const text = Deno.env.get(VARIABLE);
  Deno.env.delete(VARIABLE);
  const environment: Record<string, string> = JSON.parse(text ?? "{}");
  for (const [name, value] of Object.entries(environment)) Deno.env.set(name, value);
  return text !== undefined;
}

/**
 * The variables from which Deno and many packages take a proxy. Deno connects to a proxy without a right. So the bootstrap
 * script starts Deno with `--deny-env` for these variables, and a function reads the values that its manifest sets.
 */
export const PROXY_VARIABLES: readonly string[] = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
].flatMap((name) => [name, name.toLowerCase()]);

/** The prefix of a copy that the bootstrap script makes for the runtime. No variable of a manifest begins with it. */
export const COPY = "_MATE_";

/** Lets the function read the proxies that were set before the process started. With `--deny-env` alone, reading throws. */
export function showProxies(): void {
  const { get, has, toObject, set, delete: remove } = Deno.env;
  const values = new Map(PROXY_VARIABLES.map((name) => [name, get(COPY + name)]));
  for (const name of PROXY_VARIABLES) remove(COPY + name);
  const shown = Object.fromEntries([...values].filter(([, value]) => value !== undefined));
  const refuse = (action: string, name: string) => {
    if (!values.has(name)) return;
    throw new Deno.errors.NotCapable(
      `Cannot ${action} "${name}": a function does not choose its proxy; ` +
        'set the variable in "environment" of the manifest',
    );
  };
  // `process.env` calls these methods, too.
  Object.assign(Deno.env, {
    get: (name: string) => values.has(name) ? values.get(name) : get(name),
    has: (name: string) => values.has(name) ? values.get(name) !== undefined : has(name),
    toObject: () => ({ ...toObject(), ...shown }),
    set(name: string, value: string) {
      refuse("set", name);
      set(name, value);
    },
    delete(name: string) {
      refuse("delete", name);
      remove(name);
    },
  });
}
