import { assertEquals, assertThrows } from "@std/assert";
import { FnRecord } from "./record.ts";
import { CloudEventSpecificationError } from "./specification_error.ts";

/** A record of a service that does not exist. */
class SoupRecord extends FnRecord {
  protected override readonly service = "soup";

  dish(): string {
    return this.text("dish");
  }
}

const read = (record: object) => new SoupRecord({ Records: [record] }).dish();

Deno.test("a record is read if its source is that of its service, of any provider, or no text", () => {
  for (const key of ["eventSource", "EventSource"]) {
    // Compatible services, such as MinIO, have a prefix of their own. Events that a program made may have no source.
    for (const source of ["aws:soup", "minio:soup", "a:b:soup", null, 5, {}]) {
      assertEquals(read({ dish: "pea", [key]: source }), "pea");
    }
    for (const source of ["", "soup", "aws:xsoup", "aws:soupx", "aws:salad"]) {
      const error = assertThrows(
        () => read({ dish: "pea", [key]: source }),
        CloudEventSpecificationError,
      ) as CloudEventSpecificationError;
      const problem = `is ${JSON.stringify(source)}, not "aws:soup"`;
      assertEquals(error.path, `Records[0].${key}`);
      assertEquals(error.message, `Cannot read the event: "Records[0].${key}" ${problem}`);
    }
  }
  assertEquals(read({ dish: "pea" }), "pea");
});
