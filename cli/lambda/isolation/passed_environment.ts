/** A manifest cannot set this variable, because the names of its variables begin with a letter. */
export const VARIABLE = "_MATE_ENVIRONMENT";

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
