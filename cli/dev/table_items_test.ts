import { assertEquals } from "@std/assert";
import { showItem } from "./table_items.ts";

Deno.test("showItem() shows the key first, and sets in the order of the table", () => {
  const item = {
    z: { SS: ["b", "a"] },
    sort: { N: "12345678901234567890" },
    a: { BS: ["AQI=", "AA=="] },
    id: { S: "1" },
  };
  assertEquals(showItem(item, ["id", "sort"]), {
    key: { id: item.id, sort: item.sort },
    text: '{"id":"1","sort":"12345678901234567890","a":["AQI=","AA=="],"z":["b","a"]}',
  });
});
