/** A manifest cannot set this variable, because the names of its variables begin with a letter. */
const VARIABLE = "_MATE_ENVIRONMENT";

/**
 * Puts the variables of a manifest into one variable. So no name that a manifest chooses, such as `LD_PRELOAD`, affects the
 * programs that start a function.
 */
export function passEnvironment(
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(environment) };
}

/** Sets the variables of the manifest, in the process of the function. On AWS Lambda they are set already. */
export function takeEnvironment(): void {
  const environment = JSON.parse(Deno.env.get(VARIABLE) ?? "{}");
  Deno.env.delete(VARIABLE);
  for (const [name, value] of Object.entries<string>(environment)) Deno.env.set(name, value);
}
