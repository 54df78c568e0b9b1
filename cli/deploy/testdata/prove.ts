import { assert, assertEquals } from "@std/assert";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { Cloud } from "./cloud.ts";
import { cloudEnvironment, missingTools } from "./cloud_tools.ts";
import { Emulator } from "./emulator.ts";
import { INFRA, MANIFEST } from "./manifest.ts";
import { type Outcome, Workspace } from "./workspace.ts";
import policy from "../../../docs/policy.json" with { type: "json" };

/** The actions for the folder infra/ of the proofs, and the action that needs no permission. */
const OF_INFRA = /^(acm|ec2):|^route53:[A-Z]+ |^sts:GetCallerIdentity$/;

/**
 * The actions of changes that no proof makes, of tags at the creation of a resource, of the role of a function, of AWS Lambda
 * itself when a function gets a network, and of API Gateway itself when an HTTP API logs requests.
 */
const NOT_CALLED = new RegExp(
  ":(Tag|Untag|Set|Update)\\w+$|^iam:PassRole$|^ec2:Describe\\w+$" +
    "|^logs:(\\w+LogDelivery|ListLogDeliveries|\\w+ResourcePolic(y|ies))$" +
    "|^lambda:DeleteFunctionConcurrency$|^logs:DeleteRetentionPolicy$",
);

/** The value of every secret. */
export const SECRET = "open-sesame";

/** What a proof works with. */
export interface Proof {
  readonly t: Deno.TestContext;
  /** Runs a step. If it fails, the proof ends, because the later steps build on it. */
  readonly step: (name: string, run: () => Promise<void>) => Promise<void>;
  readonly cloud: Cloud;
  readonly emulator: Emulator;
  /** A temporary folder. */
  readonly folder: string;
  /** Makes a workspace in the temporary folder, with the manifest and a module for each function. */
  readonly makeShop: (name: string) => Promise<Workspace>;
}

/**
 * Proves something about deployments in an emulated cloud. A proof changes the environment variables, so each proof runs in a
 * process of its own.
 *
 * @param isProven Whether this proof must call everything that a statement of the policy in docs/policy.json allows, by the
 * statement's `Sid`.
 */
export async function prove(
  name: string,
  isProven: (statement: string) => boolean,
  run: (proof: Proof) => Promise<void>,
): Promise<void> {
  const missing = await missingTools();
  if (missing.length > 0) console.error(`NOT RUN: ${name}. Missing:\n- ${missing.join("\n- ")}`);
  Deno.test({
    name: `${name}, in an emulated cloud`,
    timeout: 3_600_000, // It takes minutes, and more on a busy machine.
    ignore: missing.length > 0,
    sanitizeOps: false, // the emulator keeps connections alive
    sanitizeResources: false,
    async fn(t) {
      const folder = await Deno.makeTempDir({ prefix: "deploy proof " });
      await using emulator = await Emulator.start();
      const variables = await cloudEnvironment(folder, emulator.url);
      for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
      const step = async (name: string, run: () => void | Promise<void>) => {
        if (!await t.step(name, run)) throw new Error(`The step failed: ${name}`);
      };
      await setSecrets(emulator);
      const makeShop = (name: string) => makeWorkspace(`${folder}/${name}`);
      await run({ t, step, cloud: new Cloud(), emulator, folder, makeShop });
      await step("nothing that a live stage uses goes before the stage has changed", () => {
        assertEquals(emulator.live.faults, []);
      });
      await step(
        "the policy of docs/policy.json allows what Terraform has called, and no more",
        () => checkPolicy(emulator.actions, isProven),
      );
      await Deno.remove(folder, { recursive: true });
    },
  });
}

/** Gives the secret of the manifest a value in both stages, and in the account of a wrong login. */
async function setSecrets(emulator: Emulator): Promise<void> {
  const client = new SSMClient();
  const { account } = emulator;
  for (const other of ["210987654321", account]) {
    emulator.account = other;
    for (const stage of ["v1", "prod"]) {
      const Name = `/shop/${stage}/JWT_SECRET`;
      await client.send(new PutParameterCommand({ Name, Value: SECRET, Type: "SecureString" }));
    }
  }
}

async function makeWorkspace(folder: string): Promise<Workspace> {
  const workspace = new Workspace(folder);
  await workspace.write("app.json", MANIFEST);
  for (const { module } of Object.values(MANIFEST.functions)) {
    await workspace.write(module, `export const handler = () => "${module}", main = handler;`);
  }
  await workspace.write("infra/main.tf", INFRA);
  return workspace;
}

/** Fails with the output of a run that failed. */
export function assertDone({ isDone, output }: Outcome): string {
  assert(isDone, output);
  return output;
}

function checkPolicy(
  actions: ReadonlySet<string>,
  isProven: (statement: string) => boolean,
): void {
  const statements: readonly { Sid: string; Action: string[] }[] = policy.Statement;
  const allowed = statements.flatMap(({ Action }) => Action);
  const called = [...actions].filter((action) => !OF_INFRA.test(action));
  assertEquals(called.filter((action) => !allowed.includes(action)), [], "not allowed");
  const unused = statements.filter(({ Sid }) => isProven(Sid)).flatMap(({ Action }) => Action)
    .filter((action) => !actions.has(action) && !NOT_CALLED.test(action));
  assertEquals(unused, [], "not called");
}
