import { xmlResponse } from "../responses.ts";
import { notEmulated, type ServiceCall } from "../service_call.ts";
import { OPERATIONS } from "./operations.ts";
import { allowParameters } from "./publication.ts";
import { readForm, textOf } from "./query.ts";
import type { Topics } from "./topics.ts";

/** Parses a request to Amazon SNS. Its parameters are read once, so what is checked is what runs. */
export function parseSns(topics: Topics, body: string): ServiceCall {
  const form = readForm(body);
  const name = textOf(form, "Action") ?? "";
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation === undefined) throw notEmulated(name || "This request to Amazon SNS");
  const parameters = new Map([...form].filter(([key]) => key !== "Action" && key !== "Version"));
  const topic = operation.topic(parameters);
  return {
    accesses: [{ action: `sns:${name.replace(/Batch$/, "")}`, resource: topic }],
    run() {
      allowParameters(parameters, name, operation.parameters);
      const result = operation.run(topics, topic, parameters);
      const ResponseMetadata = { RequestId: crypto.randomUUID() };
      return xmlResponse({
        [`${name}Response`]: { [`${name}Result`]: result, ResponseMetadata },
      });
    },
  };
}
