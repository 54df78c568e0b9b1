import type { FunctionManifest, Manifest } from "./types.ts";

type Stage = Pick<Manifest, "name" | "stage" | "furtherStage">;

/** The path of the parameters of AWS Systems Manager with the secrets of a stage, such as `/shop/prod`. */
export function secretPath({ name, stage, furtherStage }: Stage): string {
  const base = furtherStage === undefined ? name : name.slice(0, -`-${furtherStage}`.length);
  return `/${base}/${stage}`;
}

/** The parameters with the secrets of a function by name, such as `/shop/prod/JWT_SECRET`. */
export function secretsOf(
  manifest: Stage,
  { secrets }: FunctionManifest,
): Readonly<Record<string, string>> {
  return Object.fromEntries(secrets.map((name) => [name, `${secretPath(manifest)}/${name}`]));
}

/** The secrets of an application by name, each with its functions. */
export function secretsIn({ functions }: Manifest): ReadonlyMap<string, readonly string[]> {
  const pairs = Object.entries(functions)
    .flatMap(([owner, { secrets }]) => secrets.map((secret) => ({ secret, owner })));
  const groups = Map.groupBy(pairs, ({ secret }) => secret);
  return new Map([...groups].map(([secret, uses]) => [secret, uses.map(({ owner }) => owner)]));
}

/** The most bytes of a secret, as UTF-8: those of a standard parameter. */
const MAX_SECRET = 4_096;

/**
 * Says why AWS Systems Manager or an environment variable cannot hold a value. The text does not quote the value.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/ssm.html#limits_ssm
 */
export function secretProblem(value: string): string | undefined {
  const { length } = new TextEncoder().encode(value);
  if (length > MAX_SECRET) return `it has ${length} bytes, and at most ${MAX_SECRET} are allowed`;
  if (value === "") return "it is empty";
  return value.includes("\0") ? "it contains the character NUL" : undefined;
}
