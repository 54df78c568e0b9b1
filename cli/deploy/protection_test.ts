import { assertEquals } from "@std/assert";
import { lostTables } from "./protection.ts";

Deno.test("lostTables() lists the tables of the application that a plan deletes or replaces, and nothing else", () => {
  const table: [address: string, actions: string, isReplaced?: boolean][] = [
    ["module.application.aws_dynamodb_table.table", "delete", false],
    ["module.application.aws_dynamodb_table.table", "delete+create", true],
    ["module.application.aws_dynamodb_table.table", "create+delete", true],
    ["module.application.aws_dynamodb_table.table", "create"],
    ["module.application.aws_dynamodb_table.table", "update"],
    ["module.application.aws_dynamodb_table.table", "no-op"],
    ["module.application.aws_s3_bucket.bucket", "delete"],
    ["module.infra.aws_dynamodb_table.table", "delete"],
  ];
  for (const [place, actions, isReplaced] of table) {
    const [, , type] = place.split(".");
    const attributes = { name: "shop-orders" };
    const resource = { address: `${place}["orders"]`, type: type! };
    const [before, after] = actions === "create" ? [null, attributes] : [attributes, null];
    const change = { actions: actions.split("+"), before, after };
    const found = lostTables({ resource_changes: [{ ...resource, mode: "managed", change }] });
    const lost = isReplaced === undefined ? [] : [{ ...resource, attributes, isReplaced }];
    assertEquals(found, lost, `${actions} ${place}`);
  }
  assertEquals(lostTables({}), []);
});
