import { findApplication, readTexts } from "../bundler/application_folders.ts";
import { realPath } from "../bundler/bundler.ts";
import type { Inputs } from "../packages/types.ts";
import { keyOf } from "../../programs/kept.ts";
import { ABSENT, areSame, FileStates, type Stamps } from "./file_states.ts";

/** The configuration of the application at one time. */
export interface Configuration {
  readonly inputs: Inputs;
  /** The state of its files; `undefined` if this process may not see all of them. */
  readonly stamps: Stamps | undefined;
  /** Whether no file was changing while it was read. */
  readonly isSure: boolean;
  /** Identifies the content. */
  readonly key: string;
  /** Identifies what the process of the bundler was started with. It does without the lock file, which Deno writes. */
  readonly ofProcess: string;
  readonly application: Awaited<ReturnType<typeof findApplication>> | undefined;
}

/**
 * Reads the configuration of an application.
 *
 * @param folder The folder of the application.
 * @param states The state of files at this time.
 * @param former The last configuration, which is returned if it has not changed.
 */
export async function readConfiguration(
  folder: string | undefined,
  states: FileStates,
  former: Configuration | undefined,
): Promise<Configuration> {
  if (former?.isSure && areSame(states.stampsOf(former.inputs), former.stamps)) return former;
  const own = folder && await realPath(folder);
  const { texts, inputs } = own === undefined ? NONE : await readTexts(own);
  const application = own === undefined ? undefined : await findApplication(own, texts);
  const stamps = states.stampsOf(inputs);
  const identity = states.contentOf({ ...inputs, files: [] });
  const packages = inputs.files.filter((file) => !texts.has(file));
  const after = new FileStates();
  return {
    inputs,
    stamps,
    application,
    isSure: areSame(after.stampsOf(inputs), stamps) &&
      after.areFilesOlder(
        { files: inputs.files.filter((_, index) => stamps!.files[index] !== ABSENT) },
        states.time,
      ),
    ofProcess: keyOf(
      [...texts].filter(([file]) => !file.endsWith("deno.lock")),
      [application, identity, stamps?.places],
    ),
    key: keyOf(
      [...texts],
      [application, identity],
      stamps && states.contentOf({ ...inputs, files: packages }),
    ),
  };
}

/** The configuration without a folder. */
const NONE = { texts: new Map(), inputs: { files: [], versions: [], names: [], paths: [] } };
