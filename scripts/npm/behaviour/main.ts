/** Runs the cases, one after the other, and says how each went. */
import { accessors } from "./accessors.ts";
import { okay } from "./okay.ts";
import { responses } from "./responses.ts";

for (const [name, run] of Object.entries({ ...accessors, ...responses, ...okay })) {
  try {
    await run();
  } catch (cause) {
    throw new Error(`Failed: ${name}`, { cause });
  }
  console.log(`ok ${name}`);
}
