import { Buffer } from "node:buffer";
import { dirname, join, relative } from "node:path";
import type { Application } from "../../application/types.ts";
import { refusal } from "../../lambda/http.ts";
import { parseJson } from "../../rules/json_object.ts";
import type { Buckets } from "../../sources/buckets.ts";
import type { SavedTest } from "../traces/answers.ts";
import { isCut } from "../traces/detail.ts";
import { EMULATED } from "../traces/record_calls.ts";
import { PARTIAL } from "../traces/record_invocations.ts";
import { MAX_CUT, MAX_KEPT, type Recording, type Traces } from "../traces/traces.ts";
import { assertionsOf } from "./assertions.ts";
import { type NeededData, neededData } from "./needed_data.ts";
import { findRunner } from "./runner.ts";
import { placeOf, variableOf, writeTest } from "./source.ts";

/** A platform of its own, which a run of a test has for itself. */
export interface FreshPlatform extends AsyncDisposable {
  readonly controlUrl: string;
  readonly servicesUrl: string;
}

export interface TestMakerOptions {
  readonly application: Application;
  readonly traces: Traces;
  readonly buckets: Buckets;
  /** The path of the manifest; `undefined` if it is not in a file. */
  readonly manifestPath: string | undefined;
  /** Starts a platform of the same manifest, with placeholders for the secrets. */
  readonly startFresh: (secrets: Readonly<Record<string, string>>) => Promise<FreshPlatform>;
}

/** How a function has answered. */
interface Outcome {
  readonly failure: string | null;
  readonly result: unknown;
}

/** The pause between two runs, in milliseconds, so that times in seconds differ. */
const PAUSE = 1_100;

/** Saves the event of an invocation and a test that calls the function with it. */
export class TestMaker {
  constructor(private readonly options: TestMakerOptions) {}

  /** Returns the reason why no test can be made of a span, or `true`. */
  problemOf({ span: { id, type, status, attributes }, event }: Recording): true | string {
    const { application: { functions }, manifestPath } = this.options;
    if (type !== "invocation") return "A test calls one function: save that of an invocation below";
    const name = attributes["faas.name"]!;
    if (!Object.hasOwn(functions, name)) return `The manifest has no function "${name}" any more`;
    if (manifestPath === undefined) {
      return "The manifest is not in a file, which a test could start";
    }
    if (status === "running") return "It still runs: wait for its end";
    if (event === undefined) return "Nothing is kept of its event";
    if (isCut(event)) {
      return `Its event has ${event.size} bytes, and of more than ${MAX_KEPT} only the first ${MAX_CUT} are kept`;
    }
    const other = this.#callsOf(id).map(({ span }) => span.attributes["rpc.service"]!)
      .find((service) => !EMULATED.includes(service));
    return other === undefined ||
      `It calls ${other}, which only the account has: a test would depend on the account`;
  }

  /**
   * Makes a test. Runs it twice, each time on a platform of its own, and asserts what was equal.
   *
   * @throws {Refusal} If the test would not pass, or a file exists.
   */
  async make(recording: Recording): Promise<SavedTest> {
    const { application, traces, buckets, manifestPath } = this.options;
    const { attributes, status, error } = recording.span;
    const hasFailed = status === "failed" && error?.type !== PARTIAL;
    const name = attributes["faas.name"]!;
    const settings = application.functions[name]!;
    const folder = dirname(manifestPath!);
    const runner = await findRunner(folder, settings);
    const stem = [name, slugOf(attributes["mate.trigger.name"] ?? "")].filter(Boolean).join("_");
    const place = join(folder, dirname(settings.code.module));
    const files = [join(place, stem + runner.suffix), join(place, `${stem}.json`)] as const;
    for (const file of files) await refuseExisting(file, folder);

    const inputs = new Set<string>();
    const take = (key: string) => {
      inputs.add(key);
      return placeOf(key);
    };
    const given = parseJson(Buffer.from(recording.event!.bytes).toString());
    const event = JSON.stringify(traces.hider.json(given, take), null, 2) + "\n";
    const data = await neededData(this.#callsOf(recording.span.id), buckets, traces.hider)
      .catch(({ message }) => {
        throw refusal(409, `No test can be made: ${message}`);
      });
    const secrets = Object.keys(application.secrets.owners);
    const run = () => this.#run(name, event, data, secrets);
    const first = await run();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const second = await run();
    const problem = problemOfRuns(first, second, hasFailed);
    if (problem !== undefined) throw refusal(409, `No test can be made: ${problem}`);
    const source = writeTest({
      runner,
      title: `${name}: ${attributes["mate.trigger.name"] || attributes["mate.trigger.type"]}`,
      functionName: name,
      eventFile: `${stem}.json`,
      manifest: relative(place, manifestPath!).replace(/^(?!\.)/, "./"),
      inputs: [...inputs],
      secrets,
      data,
      assertions: [
        `assert.equal(failure, ${JSON.stringify(first.failure)});`,
        // Nothing is asserted of a value that is hidden.
        ...assertionsOf(first.result, traces.hider.json(second.result), "result"),
      ],
    });
    await writeNew([[files[0], source], [files[1], event]], folder);
    const shown = files.map((file) => relative(folder, file));
    const variables = [...inputs, ...secrets].map(variableOf);
    return {
      files: shown,
      command: `${runner.command} ${shown[0]}`,
      notes: variables.length === 0
        ? []
        : [`Hidden values are inputs of the test: set ${variables.join(", ")} to use real ones`],
    };
  }

  /** The calls that an invocation has made itself. */
  #callsOf(id: string): readonly Recording[] {
    const { traces } = this.options;
    return traces.list(traces.find(id)?.span.traceId)
      .filter(({ span }) => span.type === "call" && span.parent === id);
  }

  /** Does what the test will do. */
  async #run(
    name: string,
    event: string,
    { objects, items }: NeededData,
    secrets: readonly string[],
  ): Promise<Outcome> {
    const values = Object.fromEntries(secrets.map((secret) => [secret, placeOf(secret)]));
    await using platform = await this.options.startFresh(values);
    const { controlUrl, servicesUrl } = platform;
    const send = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      return { headers: response.headers, text: await response.text() };
    };
    for (const { path, content, isBase64 } of objects) {
      const url = path.split("/").map(encodeURIComponent).join("/");
      const body = isBase64 ? Buffer.from(content, "base64") : content;
      await send(`${controlUrl}/buckets/${url}`, { method: "PUT", body });
    }
    for (const { table, item } of items) {
      await send(servicesUrl, {
        method: "POST",
        headers: { "x-amz-target": "DynamoDB_20120810.PutItem" },
        body: JSON.stringify({ TableName: table, Item: item }),
      });
    }
    const url = `${controlUrl}/2015-03-31/functions/${name}/invocations`;
    const { headers, text } = await send(url, { method: "POST", body: event });
    return { failure: headers.get("x-amz-function-error"), result: parseJson(text) };
  }
}

/** Says why a test would not pass, or not say what happened. */
function problemOfRuns(first: Outcome, second: Outcome, hasFailed: boolean): string | undefined {
  if (first.result === undefined) return "the result is not JSON";
  if (first.failure !== second.failure) return "it fails only sometimes";
  if ((first.failure !== null) === hasFailed) return undefined;
  const { errorType, errorMessage } = Object(first.result);
  return hasFailed
    ? "it does not fail on a platform of its own: its data or a hidden value was another one"
    : `on a platform of its own, it fails with ${errorType}: ${errorMessage}; it may need other data, or a hidden value`;
}

/** Makes a part of a file name. */
function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_|_$/g, "").slice(0, 40);
}

async function refuseExisting(file: string, folder: string): Promise<void> {
  const isThere = await Deno.lstat(file).then(() => true, () => false);
  if (!isThere) return;
  throw refusal(
    409,
    `The file "${relative(folder, file)}" exists: rename or remove it, then save again`,
  );
}

/** Writes files that do not exist. If one cannot be written, none stays. */
async function writeNew(
  files: readonly (readonly [path: string, text: string])[],
  folder: string,
): Promise<void> {
  const written: string[] = [];
  for (const [path, text] of files) {
    try {
      await Deno.writeTextFile(path, text, { createNew: true });
      written.push(path);
    } catch (error) {
      for (const one of written) await Deno.remove(one);
      if (error instanceof Deno.errors.AlreadyExists) await refuseExisting(path, folder);
      throw refusal(409, `Cannot write "${relative(folder, path)}": ${(error as Error).message}`);
    }
  }
}
