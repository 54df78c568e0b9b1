import type { CommandLine, Options, Values } from "../arguments.ts";
import type { Permissions } from "../permissions.ts";

export interface Surroundings {
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  /** Writes a line to the standard error: a warning, or the progress of long work. */
  readonly note: (line: string) => void;
  readonly isColored: boolean;
}

export interface Command<O extends Options = Options> extends CommandLine<O> {
  /**
   * The permissions of a command that works with the keys of a cloud; `undefined` if this run needs no keys. A process with
   * more permissions runs the command in another process, before it loads any package. So the files of commands load packages
   * only when the command runs.
   */
  permissions?(
    positionals: readonly string[],
    values: Values<O>,
  ): Permissions | undefined | Promise<Permissions>;

  /** Runs the command. If it could not do its work, it says why and returns `false`. */
  run(
    positionals: readonly string[],
    values: Values<O>,
    surroundings: Surroundings,
  ): Promise<boolean>;
}

export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command as unknown as Command;
}

/** The manifest of a command that names none. */
export const MANIFEST = "app.json";
