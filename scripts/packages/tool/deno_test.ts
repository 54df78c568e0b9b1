import { assertThrows } from "@std/assert";
import { checkPackages } from "./deno.ts";

Deno.test("checkPackages() refuses Yarn's Plug'n'Play with the setting that helps", () => {
  checkPackages({ node: "24.1.0" });
  assertThrows(
    () => checkPackages({ node: "24.1.0", pnp: "3" }), // as Yarn 4 sets it
    Error,
    'write the line "nodeLinker: node-modules" into .yarnrc.yml, and run "yarn install"',
  );
});
