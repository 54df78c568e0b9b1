import type { Manifest } from "../manifest/manifest.ts";
import { REGION } from "./arn.ts";

/** Sets the environment variables that no two functions disagree about. Returns a function that undoes this. */
export function setEnvironment({ functions }: Manifest): () => void {
  const pairs = Object.values(functions).flatMap(({ environment }) => Object.entries(environment));
  const shared = [...Map.groupBy(pairs, ([name]) => name)]
    .flatMap(([name, all]) =>
      all.every(([, value]) => value === all[0]![1]) ? [[name, all[0]![1]]] : []
    );
  const variables: Record<string, string> = {
    AWS_REGION: REGION,
    ...Object.fromEntries(shared),
  };
  const former = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  return () => {
    for (const [name, value] of former) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  };
}
