import { DeleteParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { list } from "../../commands/secret_parameters.ts";
import { readManifest } from "../../manifest/manifest.ts";
import { secretPath } from "../../manifest/variables.ts";
import { deploy, type DeployOptions, type SecretStore, undeploy } from "../deploy.ts";
import { printOutputs } from "../summary.ts";

export interface Outcome {
  /** The result of the run; `false` if the run failed. */
  readonly isDone: boolean;
  /** All lines, and the message of the error if the run failed. */
  readonly output: string;
}

/** An application in a folder of its own. */
export class Workspace {
  constructor(readonly folder: string) {}

  async write(path: string, content: unknown): Promise<void> {
    const file = `${this.folder}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    await Deno.writeTextFile(file, text);
  }

  deploy(options: Partial<DeployOptions> = {}): Promise<Outcome> {
    return this.#run(deploy, options);
  }

  undeploy(options: Partial<DeployOptions> = {}): Promise<Outcome> {
    return this.#run(undeploy, options);
  }

  /** The state, as Terraform keeps it. */
  async state(): Promise<{ readonly serial: number; readonly resources: readonly unknown[] }> {
    const file = `${this.folder}/.mate/deploy/app/terraform.tfstate`;
    return JSON.parse(await Deno.readTextFile(file));
  }

  async #run(run: typeof deploy, options: Partial<DeployOptions>): Promise<Outcome> {
    const lines: string[] = [];
    let isDone = false;
    try {
      const manifest = `${this.folder}/app.json`;
      isDone = await run(manifest, {
        signal: new AbortController().signal,
        secrets: secretsOf(secretPath(await readManifest(manifest, options.stage))),
        print: (line) => lines.push(line),
        report: (outputs, gateway) => printOutputs(outputs, gateway, (line) => lines.push(line)),
        confirm: (question) => lines.push(question) > 0,
        ...options,
      });
    } catch (error) {
      lines.push((error as Error).message);
    }
    return { isDone, output: lines.join("\n") };
  }
}

/** The secrets in the emulated cloud, as `mate secret` works with them. */
function secretsOf(folder: string): SecretStore {
  const client = (region: string) => new SSMClient({ region });
  return {
    list: async (region) => [...(await list(client(region), folder, signal)).keys()],
    async remove(region, name) {
      await client(region).send(new DeleteParametersCommand({ Names: [`${folder}/${name}`] }));
    },
  };
}

const { signal } = new AbortController();

/** Kills the Terraform that this process runs, with its plugins, as a power cut would. */
export function killTerraform(): void {
  const { stdout } = new Deno.Command("pgrep", { args: ["-P", String(Deno.pid), "terraform"] })
    .outputSync();
  for (const pid of new TextDecoder().decode(stdout).trim().split("\n")) {
    new Deno.Command("kill", { args: ["-KILL", "--", `-${pid}`] }).outputSync(); // a session of its own
  }
}
