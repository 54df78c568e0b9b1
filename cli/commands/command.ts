import type { CommandLine, Options, Values } from "../arguments.ts";
import type { Permissions } from "../permissions.ts";

/** The surroundings of a command. */
export interface Surroundings {
  /** Ends the command early. */
  readonly signal: AbortSignal;
  /** Writes a line to the standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to the standard error: a warning, or the progress of long work. */
  readonly note: (line: string) => void;
  /** Whether the standard output shows colours. */
  readonly isColored: boolean;
}

/** A command of the tool. */
export interface Command<O extends Options = Options> extends CommandLine<O> {
  /**
   * The permissions of a command that works with the keys of a cloud. A process that has more runs the command in another
   * process, before it loads any package; so the files of commands load packages only when the command runs.
   *
   * @returns The permissions; `undefined` if this use of the command needs no keys.
   */
  permissions?(
    positionals: readonly string[],
    values: Values<O>,
  ): Permissions | undefined | Promise<Permissions>;

  /**
   * Runs the command.
   *
   * @returns Whether the command did its work. If not, it has said why, and the exit status is 1.
   */
  run(
    positionals: readonly string[],
    values: Values<O>,
    surroundings: Surroundings,
  ): Promise<boolean>;
}

/**
 * Declares a command.
 *
 * @param command The command.
 * @returns The command, for a list of commands.
 */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command as unknown as Command;
}

/** The manifest of a command that names none. */
export const MANIFEST = "app.json";
