import { assertEquals } from "@std/assert";
import { nearest } from "./nearest.ts";

Deno.test("nearest() finds the word that was probably meant, or none", () => {
  const words = ["deploy", "SHOP_TOKEN", "undeploy", "dev", "memory", "module", "url"];
  for (
    const [word, wanted] of [
      ["deploy", "deploy"],
      ["DEPLOY", "deploy"],
      ["depoly", "deploy"], // two letters are swapped
      ["deply", "deploy"],
      ["undepoy", "undeploy"],
      ["memry", "memory"],
      ["SHOP_TOKN", "SHOP_TOKEN"],
      ["mod", undefined],
      ["dve", "dev"],
      ["lru", undefined],
      ["", undefined],
      ["something else", undefined],
    ]
  ) {
    assertEquals(nearest(word!, words), wanted, word);
  }
});
