import { basename } from "node:path";
import { findRunning } from "../dev/running_platform.ts";
import { hintOf, UsageError } from "../manifest/nearest.ts";
import type { Manifest, Uses } from "../manifest/types.ts";
import { visibleJson } from "../rules/visible_text.ts";
import {
  type Command,
  DATA,
  defineCommand,
  MANIFEST,
  type Option,
  type Options,
  STAGE,
} from "./command.ts";

/** What a command sends to the platform. */
interface Sent {
  readonly path: string;
  readonly method?: "PUT";
  readonly body?: BodyInit;
}

/** One of the commands `mate send`. */
interface Sending<O extends Options> {
  /** Its second word. */
  readonly kind: string;
  readonly arguments: readonly string[];
  readonly summary: string;
  readonly options: O;
  /** The names that its first argument may have. */
  readonly names?: (manifest: Manifest) => Promise<readonly string[]>;
  readonly make: (
    args: readonly string[],
    values: { readonly [K in keyof O]: string | undefined },
  ) => Sent | Promise<Sent>;
}

const namesOf = (kind: keyof Uses) => async (manifest: Manifest) => {
  const { resourceNames } = await import("../manifest/references.ts");
  return resourceNames(manifest, kind);
};

const option = (value: string, description: string): Option => ({ value, description });

/** The text of an argument. "-" is the standard input. */
async function textOf(argument: string): Promise<string> {
  return argument === "-" ? await new Response(Deno.stdin.readable).text() : argument;
}

function define<const O extends Options>(
  { kind, arguments: names, summary, options, ...sending }: Sending<O>,
): Command {
  return defineCommand({
    name: `send ${kind}`,
    arguments: [...names, "[MANIFEST]"],
    summary,
    details: `"mate dev" runs with the same MANIFEST, which is ${MANIFEST} by default.${
      kind === "schedule" ? "" : ` "-" in place of ${names.at(-1)} reads the standard input.`
    }`,
    options: { stage: STAGE, data: DATA, ...options },
    async run(args, values, { print, signal }) {
      const given = values as Readonly<Record<string, string | undefined>>;
      const path = args[names.length] ?? MANIFEST;
      const { readManifest } = await import("../manifest/manifest.ts");
      const manifest = await readManifest(path, given.stage);
      const known = await sending.names?.(manifest);
      const [name = ""] = args;
      if (known !== undefined && !known.includes(name)) {
        const hint = known.length === 0 ? "the manifest has none" : hintOf(name, known);
        throw new UsageError(`Unknown ${names[0]!.toLowerCase()} "${name}": ${hint}`);
      }
      const sent = await sending.make(args, given as Parameters<typeof sending.make>[1]);
      const running = await findRunning(path, manifest.name, given.data);
      if (running === undefined) {
        throw new Error(`No platform runs "${manifest.name}": start it with "mate dev"`);
      }
      const { path: place, method = "POST", body = null } = sent;
      const response = await fetch(`${running}/${place}`, { method, body, signal });
      const text = await response.text();
      if (response.ok) return print(text === "" ? "Sent" : visibleJson(text));
      throw new Error(readMessage(text));
    },
  });
}

/** The message of an answer, or the whole answer if it has none. */
function readMessage(text: string): string {
  try {
    const { message, ErrorMessage } = JSON.parse(text);
    return message ?? ErrorMessage ?? text;
  } catch {
    return text;
  }
}

/** The commands `mate send`, one for each kind of trigger but HTTP. */
export const SENDING: readonly Command[] = [
  define({
    kind: "queue",
    arguments: ["QUEUE", "MESSAGE"],
    summary: "Sends a message to a queue of the application that runs",
    options: { group: option("NAME", "The group of the message, for a FIFO queue") },
    names: namesOf("queues"),
    make: async ([name, message], { group }) => ({
      path: `queues/${name}${group === undefined ? "" : `?${new URLSearchParams({ group })}`}`,
      body: await textOf(message!),
    }),
  }),
  define({
    kind: "topic",
    arguments: ["TOPIC", "MESSAGE"],
    summary: "Publishes a message to a topic of the application that runs",
    options: { subject: option("TEXT", "The subject of the message") },
    names: namesOf("topics"),
    make: async ([name, message], { subject }) => ({
      path: `topics/${name}`,
      body: new URLSearchParams({
        message: await textOf(message!),
        ...subject === undefined ? {} : { subject },
      }),
    }),
  }),
  define({
    kind: "bucket",
    arguments: ["BUCKET", "FILE"],
    summary: "Stores a file in a bucket of the application that runs",
    options: { key: option("KEY", "The key of the object (the name of the file)") },
    names: namesOf("buckets"),
    make: async ([name, file = ""], { key }) => {
      if (file === "-" && key === undefined) {
        throw new UsageError("The option --key is missing: the standard input has no name");
      }
      const body = file === "-" ? Deno.stdin.readable : (await openFile(file)).readable;
      const place = encodeURIComponent(key ?? basename(file));
      return { path: `buckets/${name}/${place}`, method: "PUT", body };
    },
  }),
  define({
    kind: "table",
    arguments: ["TABLE", "ITEM"],
    summary: "Puts an item (a JSON object) into a table of the application that runs",
    options: {},
    names: namesOf("tables"),
    make: async ([name, item]) => ({ path: `tables/${name}`, body: await textOf(item!) }),
  }),
  define({
    kind: "event",
    arguments: ["EVENT"],
    summary: "Puts an event (JSON with source, detail-type and detail) on a bus of the application",
    options: {},
    make: async ([event]) => ({ path: "events", body: await textOf(event!) }),
  }),
  define({
    kind: "schedule",
    arguments: ["FUNCTION"],
    summary: "Fires a schedule of a function of the application that runs",
    options: { number: option("NUMBER", "Which of its schedules; the first one is 0 (0)") },
    names: (manifest) => Promise.resolve(Object.keys(manifest.functions)),
    make: ([name], { number = "0" }) => {
      if (!/^\d{1,3}$/.test(number)) {
        throw new UsageError(`Invalid --number "${number}": expected a number from 0 on`);
      }
      return { path: `schedules/${name}/${number}` };
    },
  }),
];

async function openFile(path: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(path);
  } catch (error) {
    throw new Error(`Cannot read "${path}": ${(error as Error).message}`);
  }
}
