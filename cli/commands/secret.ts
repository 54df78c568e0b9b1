import { hintOf, UsageError } from "../manifest/nearest.ts";
import { visibleText } from "../rules/visible_text.ts";
import { callAws, sdkPermissions } from "./aws.ts";
import { columns, type Command, defineCommand, MANIFEST, STAGE } from "./command.ts";

const DETAILS =
  `MANIFEST is ${MANIFEST} by default. The secrets are encrypted parameters of AWS Systems Manager, /APPLICATION/STAGE/NAME. A
function gets those that it names in "secrets", as environment variables. The credentials are those of the AWS tools. The
region comes from the manifest, or else from AWS_REGION or the profile.`;

/** `mate secret set` */
export const secretSet: Command = defineCommand({
  name: "secret set",
  arguments: ["NAME", "[MANIFEST]"],
  summary: "Keeps the value of a secret in the account: asks for it, or reads the standard input",
  details: `${DETAILS}

A new value counts from the next cold start of a function. From a file: mate secret set NAME <FILE`,
  options: { stage: STAGE },
  permissions: ([_name, path = MANIFEST]) => sdkPermissions(path),
  async run([name = "", path = MANIFEST], { stage }, { signal, print, note }) {
    const { open, checkName } = await import("./secret_parameters.ts");
    checkName(name);
    const { client, folder, region, secrets } = await open(path, stage);
    const owners = secrets.get(name);
    if (owners === undefined) {
      const hint = hintOf(name, [...secrets.keys()], "add it to one, so that it gets the secret");
      note(`No function has "${name}" in "secrets": ${hint}`);
    }
    const { secretProblem } = await import("../manifest/variables.ts");
    const value = Deno.stdin.isTerminal()
      ? askHidden(`The value of ${name}: `)
      : (await new Response(Deno.stdin.readable).text()).replace(/\r?\n$/, "");
    const problem = secretProblem(value);
    if (problem !== undefined) throw new UsageError(`Cannot set the secret "${name}": ${problem}`);
    const { PutParameterCommand } = await import("@aws-sdk/client-ssm");
    const Name = `${folder}/${name}`;
    const command = new PutParameterCommand({
      Name,
      Value: value,
      Type: "SecureString",
      Overwrite: true,
    });
    await callAws(`Cannot set the secret "${name}"`, () => {
      return client.send(command, { abortSignal: signal });
    });
    const start = owners === undefined
      ? ""
      : `; ${owners.join(", ")} gets it at the next cold start`;
    print(`Set ${Name} in ${await region()}${start}`);
  },
});

/** `mate secret list` */
export const secretList: Command = defineCommand({
  name: "secret list",
  arguments: ["[MANIFEST]"],
  summary: "Lists the secrets of the functions, and whether they have a value",
  details: DETAILS,
  options: { stage: STAGE, json: { description: "Print the secrets as JSON" } },
  permissions: ([path = MANIFEST]) => sdkPermissions(path),
  async run([path = MANIFEST], { stage, json }, { signal, print }) {
    const { list, open } = await import("./secret_parameters.ts");
    const { client, folder, secrets } = await open(path, stage);
    const found = await list(client, folder, signal);
    const names = [...new Set([...secrets.keys(), ...found.keys()])];
    const rows = names.map((name) => ({
      name,
      modified: found.get(name),
      functions: secrets.get(name) ?? [],
    }));
    if (json) {
      print(JSON.stringify(rows, undefined, 2));
    } else if (rows.length === 0) {
      print(`No function has "secrets", and there are none in ${folder}`);
    } else {
      print(visibleText(columns(rows.map(({ name, modified, functions }) => [
        name,
        `${modified ? `set ${modified.toISOString()}` : "has no value"}  ${
          functions.join(", ") || "(no function)"
        }`,
      ]))));
    }
  },
});

/** `mate secret remove` */
export const secretRemove: Command = defineCommand({
  name: "secret remove",
  arguments: ["NAME", "[MANIFEST]"],
  summary: "Removes the value of a secret from the account",
  details: DETAILS,
  options: { stage: STAGE },
  permissions: ([_name, path = MANIFEST]) => sdkPermissions(path),
  async run([name = "", path = MANIFEST], { stage }, { signal, print }) {
    const { open, checkName } = await import("./secret_parameters.ts");
    checkName(name);
    const { client, folder, region } = await open(path, stage);
    const { DeleteParametersCommand } = await import("@aws-sdk/client-ssm");
    const Name = `${folder}/${name}`;
    const { InvalidParameters = [] } = await callAws(`Cannot remove the secret "${name}"`, () => {
      return client.send(new DeleteParametersCommand({ Names: [Name] }), { abortSignal: signal });
    });
    if (InvalidParameters.length > 0) {
      throw new Error(
        `Cannot remove the secret "${name}": there is no ${Name} in ${await region()}`,
      );
    }
    print(`Removed ${Name} in ${await region()}`);
  },
});

/**
 * Asks for a text on the terminal, and shows none of it. Enter ends it.
 *
 * @throws {Error} If the user presses Ctrl-C.
 */
function askHidden(question: string): string {
  const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
  Deno.stdin.setRaw(true); // before the question, because the user may type at once
  try {
    write(question);
    return readKeys();
  } finally {
    Deno.stdin.setRaw(false);
    write("\n");
  }
}

function readKeys(): string {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(1_024);
  const typed: string[] = [];
  for (;;) {
    const length = Deno.stdin.readSync(buffer);
    for (const key of decoder.decode(buffer.subarray(0, length ?? 0), { stream: true })) {
      if (key === "\r" || key === "\n" || key === "\x04") return typed.join("");
      if (key === "\x03") throw new Error("Interrupted: nothing was changed");
      if (key === "\x7f" || key === "\b") typed.pop();
      else if (key === "\x15") typed.length = 0;
      else typed.push(key);
    }
    if (length === null) return typed.join("");
  }
}
