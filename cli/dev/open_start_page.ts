import { tmpdir } from "node:os";
import { findProgram, prepareApart } from "../programs/find_program.ts";
import { makeOwnedFolder } from "../lambda/isolation/owned_folder.ts";
import { originOf } from "./listener.ts";

/** What leads to the start page. */
export interface Door {
  readonly port: number;
  /** The URL of the platform, with its secret. */
  readonly controlUrl: string;
  /** Whether the address without the secret leads a browser to the start page. */
  readonly isConfined: boolean;
}

/**
 * Opens the start page in the browser of the developer. Every user can read the arguments of a program, so they never have the
 * secret: they have the address without the secret or, where this does not lead to the start page, the name of a file that only
 * this user can read.
 *
 * @returns What the browser needs until the end of the platform.
 */
export async function openStartPage(
  { port, controlUrl, isConfined }: Door,
  note: (text: string) => void,
): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const name = Deno.build.os === "darwin" ? "open" : "xdg-open";
  const program = await findProgram(name);
  if (program === undefined) {
    note(`WARN Cannot open the start page: "${name}" is not installed; open its address yourself`);
    return stack.move();
  }
  let place = `${originOf("platform", port)}/`;
  if (!isConfined) {
    const { path } = stack.use(await makeOwnedFolder(tmpdir()));
    place = `${path}/start.html`;
    const url = JSON.stringify(`0; url=${controlUrl}/`);
    const page = `<!DOCTYPE html><meta http-equiv="refresh" content=${url}>\n`;
    await Deno.writeTextFile(place, page, { mode: 0o600, createNew: true });
  }
  const command = await prepareApart(program, {
    args: [place],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  void command.spawn().status.then(({ success }) => {
    if (!success) note(`WARN Cannot open ${place}: "${name}" failed; open it yourself`);
  });
  return stack.move();
}
