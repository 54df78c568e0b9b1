import { assertEquals } from "@std/assert";
import { temporaryFolder } from "../../../testdata/programs.ts";
import { stampOf } from "./stamps.ts";

const TIME = 1_700_000_000_000;

Deno.test("stampOf() tells versions of a file apart by time, size and inode", () => {
  const folder = temporaryFolder();
  const file = `${folder}/a.ts`;
  const write = (text: string, time = TIME) => {
    Deno.writeTextFileSync(file, text);
    Deno.utimeSync(file, new Date(time), new Date(time));
    return stampOf(file);
  };
  const first = write("1");
  assertEquals(stampOf(file), first);
  assertEquals(write("12") === first, false, "another size");
  assertEquals(write("2", TIME + 1) === first, false, "another time");
  assertEquals(write("2"), first);
  Deno.renameSync(file, `${folder}/b.ts`);
  assertEquals(write("1") === first, false, "another file of the same name");
});

Deno.test("the stamp of a file that is gone, or has changed since a time, equals no other stamp", () => {
  const file = `${temporaryFolder()}/a.ts`;
  const isSteady = (since?: number) => stampOf(file, since) === stampOf(file, since);
  assertEquals(isSteady(), false);
  Deno.writeTextFileSync(file, "");
  Deno.utimeSync(file, new Date(TIME), new Date(TIME));
  // The clock of the file system may be some milliseconds late.
  const table = [[11, true], [10, false], [0, false], [-1_000, false]] as const;
  for (const [later, expected] of table) {
    assertEquals(isSteady(TIME + later), expected, `${later} ms after the change`);
  }
});
