import { assertEquals } from "@std/assert";
import { chooseCoding } from "./content_coding.ts";

Deno.test("chooseCoding() chooses the available coding that the client prefers", () => {
  for (
    const [header, expected] of [
      [undefined, undefined],
      ["", undefined],
      ["gzip", "gzip"],
      ["GZIP;q=0.1", "gzip"],
      ["X-Gzip;q=0.1", "gzip"],
      ["gzip, x-gzip;q=0", "gzip"],
      ["gzip;q=0, x-gzip", "gzip"],
      ["gzip;q=0", undefined],
      ["gzip;q=0, br;q=0, *", undefined],
      ["deflate", undefined],
      ["*", "br"],
      ["*;q=0", undefined],
      ["*;q=0, gzip", "gzip"],
      ["*;q=0.1, *;q=0.9, identity;q=0.5", "br"],
      ["gzip;q=5", undefined],
      ["br;q=0, *", "gzip"],
      ["gzip, br", "br"],
      ["gzip, br;q=0.9", "gzip"],
      ["gzip;q=0.5, identity", undefined],
      ["gzip;q=0.5, identity;q=0.5", "gzip"],
      ["identity;q=0", undefined],
      ["identity;q=0, gzip;q=0.1", "gzip"],
      ["identity;q=0.2, identity;q=0.9, gzip;q=0.5", undefined],
      ["identity, *;q=0.9", undefined],
      ["identity;q=0.5, *", "br"],
    ] as const
  ) {
    assertEquals(
      chooseCoding(header, [{ coding: "br" }, { coding: "gzip" }])?.coding,
      expected,
      header,
    );
  }
});
