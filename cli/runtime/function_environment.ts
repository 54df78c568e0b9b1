import { showProxies, takeEnvironment } from "../lambda/isolation/passed_environment.ts";
import { readSecrets } from "./secret_reader.ts";

/** The variable of the bootstrap script with the parameters of the secrets. No variable of a manifest has this name. */
const PARAMETERS = "_MATE_SECRETS";

const isLocal = takeEnvironment(); // with the secrets
const parameters = Deno.env.get(PARAMETERS);
Deno.env.delete(PARAMETERS);
showProxies();
if (parameters !== undefined && !isLocal) {
  const prepare = async () => {
    const values = await readSecrets(parameters.split(","), (name) => Deno.env.get(name));
    for (const [name, value] of Object.entries(values)) Deno.env.set(name, value);
  };
  Object.assign(globalThis, { [Symbol.for("@mate/core/runtime/prepare")]: prepare });
}
