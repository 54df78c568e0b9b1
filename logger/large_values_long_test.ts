import { assert, assertEquals, assertMatch } from "@std/assert";
import { runScript, RUNTIMES } from "./testdata/process.ts";

/** Large values, each a quarter of the memory. An earlier version needed many times the size of a value to log it. */
const HEAVY: Record<string, string> = {
  "bytes of a request": "new Uint8Array(15e6)",
  "bytes within an object": "({ body: Buffer.alloc(15e6) })",
  "bytes with numbers": "new Float64Array(2e6)",
  "a buffer": "new ArrayBuffer(15e6)",
  "a text": "'x'.repeat(8e6)",
  "a stack": "Object.assign(new Error('x'), { stack: 'x\\n'.repeat(3e6) })",
  "a message": "new Error('\\n'.repeat(3e6))",
  "a list": "Array(1e6).fill(0)",
  "a map": "new Map(Array(8e4).entries())",
  "an object": "Object.fromEntries(Array(5e4).entries())",
};

if (RUNTIMES["Node.js"]) {
  Deno.test("the logger survives large values in little memory", async () => {
    for (const [title, value] of Object.entries(HEAVY)) {
      const { code, stdout, stderr } = await runScript(
        ["node", "--max-old-space-size=30"],
        `const value = ${value};
         for (process.env.AWS_LAMBDA_LOG_FORMAT of ["Text", "JSON"]) {
           one.withRequestId("1", () => {
             one.logger.error("Cannot send", Object.assign(new Error("no"), { value }), value);
             one.logger.error(value);
           });
         }`,
      );
      assertEquals(code, 0, `${title}: ${stderr.slice(-300)}`);
      const records = stdout.trimEnd().split("\n");
      assertEquals(records.length, 4, title);
      for (const [index, record] of records.entries()) {
        assertMatch(record, /\[cut: |0{200}…/, title);
        assert(record.length < 256 * 1024, `${title}: ${record.length}`);
        const parts = index % 2 === 0 ? ["Cannot send", "at file:"] : [];
        assert(parts.every((part) => record.includes(part)), title);
      }
    }
  });
}
