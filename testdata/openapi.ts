/** Public validators of OpenAPI documents. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { assert, assertEquals } from "@std/assert";

const config = await createConfig({
  rules: {
    struct: "error",
    "no-unresolved-refs": "error",
    "operation-operationId-unique": "error",
    "operation-parameters-unique": "error",
    "path-parameters-defined": "error",
    "no-ambiguous-paths": "off", // "/a/{b}" beside "/{a}/b": the routes decide
    "no-identical-paths": "error",
    "security-defined": "off", // a route may be public
    "spec-components-invalid-map-name": "error",
    "no-schema-type-mismatch": "error",
  },
});

/** Fails unless two public validators accept a document. */
export async function checkDocument(document: object): Promise<void> {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  assert(valid, JSON.stringify(errors));
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  assertEquals(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`), []);
}
