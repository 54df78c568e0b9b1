import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { nameOf, type Problem } from "./checker.ts";
import { refuse } from "./stages.ts";
import type { Manifest } from "./types.ts";

type Path = readonly (string | number)[];

/** The text of a manifest. It knows the lines of the keys. */
export class ManifestText {
  readonly #text: string;
  readonly #source: string;
  readonly #root: Node;
  /** The value. */
  readonly json: unknown;

  /**
   * Parses a text.
   *
   * @throws {SyntaxError} If it is not JSON, or has a key `__proto__`. The message names the line.
   */
  constructor(text: string, source: string) {
    this.#text = text.replace(/^\uFEFF/, ""); // RFC 8259, section 8.1: a byte order mark may be ignored.
    this.#source = source;
    const errors: ParseError[] = [];
    try {
      this.#root = parseTree(this.#text, errors, { disallowComments: true })!;
      this.json = JSON.parse(this.#text);
    } catch (cause) {
      throw this.#syntaxError((cause as Error).message, errors[0], cause);
    }
    for (const { key, node } of keysIn(this.#root)) {
      // As a key of an object, it would change the object instead of its properties.
      if (key === "__proto__") throw this.#syntaxError('The key "__proto__" is not allowed', node);
    }
  }

  get action(): string {
    return `Cannot use the manifest "${this.#source}"`;
  }

  /** The keys that occur twice in an object. `JSON.parse()` drops the first value. */
  get repetitions(): readonly Problem[] {
    return [...keysIn(this.#root)].filter(({ isRepeated }) => isRepeated).map(({ path, node }) => ({
      path,
      text: `${nameOf(path)} occurs twice: rename or remove one`,
      line: this.#lineAt(node.offset),
    }));
  }

  /**
   * Throws an error that names all problems with their lines.
   *
   * @param stage The stage that has the problems, if it is another one than the manifest's.
   */
  refuse(problems: readonly Problem[], stage?: string): void {
    const named = problems.map(({ path, text, line = this.#lineOf(path, stage) }) =>
      this.#withLine(line, text)
    );
    refuse(named, stage === undefined ? this.action : `${this.action} for the stage "${stage}"`);
  }

  #syntaxError(message: string, place?: { offset: number; error?: number }, cause?: unknown) {
    const isComment = place?.error !== undefined &&
      (printParseErrorCode(place.error) === "InvalidCommentToken" ||
        this.#text[place.offset] === "#");
    const problem = isComment
      ? "JSON has no comments: remove this one"
      : message.replace(/(, (\.\.\.)?".*"(\.\.\.)? is not valid JSON| in JSON at .*)$/s, "");
    const named = place ? this.#withLine(this.#lineAt(place.offset), problem) : message;
    return new SyntaxError(`Cannot read the manifest "${this.#source}": ${named}`, { cause });
  }

  #withLine(line: number, text: string): string {
    return this.#text.trim().includes("\n") ? `line ${line}: ${text}` : text;
  }

  #lineAt(offset: number): number {
    return this.#text.slice(0, offset).split("\n").length;
  }

  /** The line of a key, or of the nearest object around it. What a stage or `defaults` sets is there. */
  #lineOf(path: Path, stage: string | undefined): number {
    const [first, , ...rest] = path;
    const places: Path[] = [
      ...(stage === undefined ? [] : [["stages", stage, ...path]]),
      path,
      ...(first === "functions" ? [["defaults", ...rest]] : []),
    ];
    const found = places.map((place) => this.#find(place));
    return this.#lineAt(
      (found.find(({ isWhole }) => isWhole) ?? found.at(places.indexOf(path))!).offset,
    );
  }

  /** Follows the keys of a path as far as they exist. */
  #find(path: Path): { readonly offset: number; readonly isWhole: boolean } {
    let [node, offset] = [this.#root, this.#root.offset];
    for (const key of path) {
      const { type, children = [] } = node;
      const child = type === "array"
        ? children[Number(key)]
        : children.findLast((property) => property.children?.[0]?.value === key);
      if (child === undefined) return { offset, isWhole: false };
      offset = child.offset;
      node = child.type === "property" ? child.children![1]! : child;
    }
    return { offset, isWhole: true };
  }
}

/** Where manifests come from. The key is an object that changed copies of a manifest share with it: its settings. */
const origins = new WeakMap<object, { readonly text: ManifestText; readonly stage?: string }>();

/**
 * Keeps the text that a manifest was read from.
 *
 * @param stage The stage, if it is another one than the manifest's.
 */
export function keepOrigin({ settings }: Manifest, text: ManifestText, stage?: string): void {
  origins.set(settings, { text, ...stage !== undefined && { stage } });
}

/**
 * Throws an error that names all problems of a manifest that was read before, with their lines. A manifest that a program has
 * made has no lines.
 */
export function refuseManifest(manifest: Manifest, problems: readonly Problem[]): void {
  const origin = origins.get(manifest.settings);
  if (origin !== undefined) return origin.text.refuse(problems, origin.stage);
  refuse(problems.map(({ text }) => text), `Cannot use the manifest of "${manifest.name}"`);
}

/** Lists the keys of all objects in valid JSON. */
function* keysIn(node: Node, path: Path = []): Generator<
  { readonly key: string; readonly path: Path; readonly node: Node; readonly isRepeated: boolean }
> {
  const known = new Set<string>();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (child.type !== "property") {
      yield* keysIn(child, [...path, index]);
      continue;
    }
    const key: string = child.children![0]!.value;
    yield { key, path: [...path, key], node: child, isRepeated: known.has(key) };
    known.add(key);
    yield* keysIn(child.children![1]!, [...path, key]);
  }
}
