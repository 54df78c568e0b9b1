import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { UsageError } from "../manifest/nearest.ts";
import { mateHere } from "../testdata/command.ts";
import type { Surroundings } from "./command.ts";
import { secretRemove, secretSet } from "./secret.ts";

Deno.test("mate secret refuses a wrong word, and a name that no variable can have", async () => {
  for (
    const [args, message] of [
      [[], /^Error: The word after "secret" is missing: expected one of set, list, remove\n$/],
      [["sett", "KEY"], /^Error: Unknown command "secret sett": did you mean "set"\?\n$/],
      [["set"], /^Error: The argument NAME is missing\n$/],
    ] as const
  ) {
    const { code, stdout, stderr } = await mateHere(["secret", ...args]);
    assertMatch(stderr, message);
    assertEquals([code, stdout], [2, ""], args.join(" "));
  }
  const nowhere = {} as Surroundings; // They fail before they print or ask.
  for (
    const [command, name, message] of [
      [
        secretSet,
        "my-key",
        /^Invalid secret "my-key": it must be the name of an environment variable with two characters or more, such as TABLE_NAME$/,
      ],
      [
        secretSet,
        "AWS_REGION",
        /^Invalid secret "AWS_REGION": it must be another variable: AWS Lambda reserves it$/,
      ],
      [secretRemove, "a/b", /^Invalid secret "a\/b": /],
    ] as const
  ) {
    const error = await assertRejects(async () => void await command.run([name], {}, nowhere));
    assertEquals(error instanceof UsageError, true);
    assertMatch((error as Error).message, message);
  }
  const help = await mateHere(["secret", "--help"]);
  assertMatch(help.stdout, /secret set .*\n.*secret list .*\n.*secret remove /);
});
