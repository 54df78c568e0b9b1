/**
 * Before the first release, a page with a command of the packages says that they are not published. This program writes the
 * notice into these pages. After `CHANGELOG.md` has the release, it removes it. A test of the docs fails if it was not run.
 *
 * @module
 */
import core from "../deno.json" with { type: "json" };
import { succeed } from "../testdata/programs.ts";
import { ROOT } from "./packages/metadata.ts";

const NOTICE =
  `> Version ${core.version} is not published yet. Until then, the commands of this page work\n` +
  "> [with a checkout](https://github.com/mate/core/blob/main/CONTRIBUTING.md#to-try-a-checkout-in-another-project).\n\n";

/** A command in a block or in a sentence that loads a package of the project from a registry. */
const COMMAND =
  /\b(deno (run|add|install)|npx|npm install|pnpm add|yarn add|bunx?)\b[^\n]*(@?\bmate\b)/;

/** The page as it shall be. */
export function withNotice(page: string, isReleased: boolean): string {
  const plain = page.replace(/^> Version \S+ is not published yet\.[^]*?\n\n/m, "");
  const isConcerned = !isReleased && COMMAND.test(plain);
  return isConcerned ? plain.replace(/^(# .*\n\n)/, (title) => title + NOTICE) : plain;
}

/** The pages with another notice than they shall have, each with its right text. README.md has a section about it. */
export async function wrongPages(): Promise<Map<string, string>> {
  const changes = await Deno.readTextFile(new URL("CHANGELOG.md", ROOT));
  const isReleased = changes.includes(`## [${core.version}]`);
  const wrong = new Map<string, string>();
  for (const path of (await succeed("git", ["ls-files", "*.md"], { cwd: ROOT })).split("\n")) {
    if (path === "" || !/^(docs|cli|examples|benchmarks)\//.test(path)) continue;
    const page = await Deno.readTextFile(new URL(path, ROOT));
    const right = withNotice(page, isReleased);
    if (right !== page) wrong.set(path, right);
  }
  return wrong;
}

if (import.meta.main) {
  for (const [path, page] of await wrongPages()) {
    await Deno.writeTextFile(new URL(path, ROOT), page);
    console.log(path);
  }
}
