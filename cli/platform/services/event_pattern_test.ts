import { assertEquals } from "@std/assert";
import { matchesPattern } from "./event_pattern.ts";

const EVENT = {
  source: "shop.orders",
  resources: ["arn:a", "arn:b"],
  detail: { price: 5, note: null, to: { ip: "10.1.2.3", v6: "2001:db8::7" }, file: "in/a.PNG" },
};

Deno.test("matchesPattern() follows the operators of Amazon EventBridge", () => {
  const table: [pattern: Record<string, unknown>, expected: boolean][] = [
    [{}, true],
    [{ source: ["other", "shop.orders"] }, true],
    [{ source: ["other"] }, false],
    [{ source: ["shop.orders"], detail: { price: [6] } }, false],
    [{ resources: ["arn:b"] }, true],
    [{ detail: { note: [null] } }, true],
    [{ detail: { note: [{ exists: true }] } }, true],
    [{ detail: { other: [{ exists: false }] } }, true],
    [{ detail: { price: [{ exists: false }] } }, false],
    [{ detail: { price: ["5"] } }, false],
    [{ source: [{ prefix: "shop." }] }, true],
    [{ source: [{ prefix: { "equals-ignore-case": "SHOP" } }] }, true],
    [{ detail: { file: [{ suffix: ".png" }] } }, false],
    [{ detail: { file: [{ suffix: { "equals-ignore-case": ".png" } }] } }, true],
    [{ source: [{ "equals-ignore-case": "Shop.Orders" }] }, true],
    [{ detail: { file: [{ wildcard: "in/*.PNG" }] } }, true],
    [{ detail: { file: [{ wildcard: "*a*" }] } }, true],
    [{ detail: { file: [{ wildcard: "in/a.PNG*G" }] } }, false],
    [{ detail: { file: [{ wildcard: "in/\\*.PNG" }] } }, false],
    [{ source: [{ "anything-but": ["a", "b"] }] }, true],
    [{ source: [{ "anything-but": "shop.orders" }] }, false],
    [{ source: [{ "anything-but": { prefix: ["x", "shop"] } }] }, false],
    [{ detail: { price: [{ "anything-but": [5] }] } }, false],
    [{ detail: { price: [{ numeric: [">", 0, "<=", 5] }] } }, true],
    [{ detail: { price: [{ numeric: ["<", 5] }] } }, false],
    [{ source: [{ numeric: ["=", 5] }] }, false],
    [{ detail: { to: { ip: [{ cidr: "10.1.0.0/16" }] } } }, true],
    [{ detail: { to: { ip: [{ cidr: "10.2.0.0/16" }] } } }, false],
    [{ detail: { to: { v6: [{ cidr: "2001:db8::/32" }] } } }, true],
    [{ detail: { to: { v6: [{ cidr: "10.0.0.0/8" }] } } }, false],
    [{ $or: [{ source: ["other"] }, { detail: { price: [5] } }] }, true],
    [{ $or: [{ source: ["other"] }, { detail: { price: [6] } }] }, false],
    [{ detail: { price: [{ numeric: [">=", 5] }] } }, true],
    [{ detail: { price: [{ numeric: [] }] } }, false],
    [{ detail: { price: [{ numeric: 5 }] } }, false],
    [{ detail: { file: [{ wildcard: "in/*a.PNG" }] } }, true],
    [{ detail: { file: [{ wildcard: "out/*.PNG" }] } }, false],
    [{ source: [{ wildcard: "*shop*" }] }, true],
    [{ detail: { to: { ip: [{ cidr: "250.1.0.0/16" }] } } }, false],
    [{ detail: { to: { v6: [{ cidr: "2001:db8:0:1:0:1:0:7/48" }] } } }, true],
    [{ detail: { to: { ip: [{ cidr: "nonsense" }] } } }, false],
    [{ source: [{ cidr: "10.0.0.0/8" }] }, false],
    [{ source: [{ prefix: "shop", suffix: "orders" }] }, false],
    [{ source: [{}] }, false],
    [{ source: [{ prefix: 5 }] }, false],
    [{ source: [{ unknown: "shop" }] }, false],
  ];
  for (const [pattern, expected] of table) {
    assertEquals(matchesPattern(pattern, EVENT), expected, JSON.stringify(pattern));
  }
});

Deno.test("matchesPattern() ends with many wildcards and a long text", () => {
  const pattern = { detail: { path: [{ wildcard: `${"*a".repeat(200)}b` }] } };
  assertEquals(matchesPattern(pattern, { detail: { path: "a".repeat(10_000) } }), false);
});
