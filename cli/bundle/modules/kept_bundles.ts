import { type Kept, keyOf } from "../../programs/kept.ts";
import type { Inputs, ModuleBundle } from "../packages/types.ts";
import { areSame, FileStates, type Stamps } from "./file_states.ts";

/** A bundle, and the state of everything that it was made of. */
export interface StampedBundle {
  readonly bundle: ModuleBundle;
  readonly stamps: Stamps;
}

/** The number of lists of inputs that are kept for a module: one for each branch, for example. */
const LISTS = 4;

/**
 * The bundles of earlier runs. Each is kept under its recipe, which is everything that decides a bundle before its inputs are
 * known, and under the content of these inputs.
 */
export class KeptBundles {
  readonly #kept: Kept;

  constructor(kept: Kept) {
    this.#kept = kept;
  }

  /** The inputs of the last bundles of a recipe, the latest first. */
  async listsOf(recipe: string): Promise<readonly Inputs[]> {
    const parts = await this.#kept.get("inputs", recipe);
    return parts === undefined ? [] : jsonOf(parts.get("inputs"));
  }

  /** Finds the bundle that was made of what the files are. */
  async find(recipe: string, states: FileStates): Promise<StampedBundle | undefined> {
    for (const inputs of await this.listsOf(recipe)) {
      const stamps = states.stampsOf(inputs);
      const content = states.contentOf(inputs);
      const parts = content && await this.#kept.get("bundle", keyOf(recipe, content));
      if (!stamps || !parts) continue;
      const bundle: ModuleBundle = {
        ...jsonOf(parts.get("facts")),
        code: new TextDecoder().decode(parts.get("code")),
        map: new TextDecoder().decode(parts.get("map")),
        inputs,
      };
      return { bundle, stamps };
    }
    return undefined;
  }

  /** Keeps a bundle, unless what it was made of has changed. */
  async keep(recipe: string, { bundle, stamps }: StampedBundle): Promise<void> {
    const { code, map, inputs, ...facts } = bundle;
    const content = new FileStates().contentOf(inputs);
    // What was read is what the bundle was made of if it still has the same stamps.
    if (!areSame(new FileStates().stampsOf(inputs), stamps)) return;
    const bytesOf = (text: string) => new TextEncoder().encode(text);
    await this.#kept.put(
      "bundle",
      keyOf(recipe, content),
      new Map([
        ["code", bytesOf(code)],
        ["map", bytesOf(map)],
        ["facts", bytesOf(JSON.stringify(facts))],
      ]),
    );
    const former = (await this.listsOf(recipe)).map((list) => JSON.stringify(list));
    const lists = [...new Set([JSON.stringify(inputs), ...former])].slice(0, LISTS);
    await this.#kept.put("inputs", recipe, new Map([["inputs", bytesOf(`[${lists}]`)]]));
  }
}

function jsonOf(bytes: Uint8Array | undefined) {
  return JSON.parse(new TextDecoder().decode(bytes));
}
