/** The user asked for something wrong: the message names the word of the command line. The tool exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
