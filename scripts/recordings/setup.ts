import type { Setup } from "./cases.ts";
import type { Clients } from "./clients.ts";

/** Makes the queues, the topics and the subscriptions of a case, and their variables. */
export async function makeResources(
  { queues = {}, topics = {}, subscriptions = [] }: Setup,
  clients: Clients,
  unique: string,
): Promise<Variables> {
  const variables: Variables = { unique };
  const call = async (operation: string, input: Record<string, unknown>) => {
    const answer = await clients.call(operation, fill(input, variables) as typeof input);
    if ("output" in answer) return answer.output;
    throw new Error(`${operation} failed: ${answer.error.codes}: ${answer.error.message}`);
  };
  for (const [variable, { name, fifo, attributes: Attributes }] of Object.entries(queues)) {
    const QueueName = fill(name ?? `\${unique}-${variable}${fifo ? ".fifo" : ""}`, variables);
    const { QueueUrl } = await call("sqs.CreateQueue", { QueueName, Attributes });
    variables[variable] = String(QueueUrl);
    variables[`${variable}.name`] = String(QueueName);
    const input = { QueueUrl, AttributeNames: ["QueueArn"] };
    const { Attributes: facts } = await call("sqs.GetQueueAttributes", input);
    variables[`${variable}.arn`] = (facts as { QueueArn: string }).QueueArn;
  }
  for (const [variable, { fifo, attributes: Attributes }] of Object.entries(topics)) {
    const Name = `${unique}-${variable}${fifo ? ".fifo" : ""}`;
    const { TopicArn } = await call("sns.CreateTopic", { Name, Attributes });
    variables[variable] = variables[`${variable}.arn`] = String(TopicArn);
    variables[`${variable}.name`] = Name;
  }
  for (const { topic, queue, attributes: Attributes } of subscriptions) {
    await call("sns.Subscribe", {
      TopicArn: variables[topic],
      Protocol: "sqs",
      Endpoint: variables[`${queue}.arn`],
      Attributes,
    });
  }
  return variables;
}

/** The values of the variables of a case, such as `q.arn`. */
export type Variables = Record<string, string>;

/** Makes the value that an input of a case describes: `{ "$repeat": [text, count] }`, `${variable}` and the others. */
export function fill(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return fillText(value, variables);
  if (Array.isArray(value)) return value.map((item) => fill(item, variables));
  if (typeof value !== "object" || value === null) return value;
  const [[key, argument] = ["", undefined], ...others] = Object.entries(value);
  if (others.length === 0) {
    switch (key) {
      case "$repeat": {
        const [text, count] = argument as [string, number];
        return text.repeat(count);
      }
      case "$bytes":
        return Uint8Array.fromBase64(argument as string);
      case "$date":
        return new Date(Date.now() + (argument as number) * 1_000);
      case "$dateText":
        return new Date(fillText(argument as string, variables));
      case "$jsonText":
        return JSON.stringify(fill(argument, variables));
      case "$undefined":
        return undefined;
    }
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fill(member, variables)]),
  );
}

function fillText(text: string, variables: Variables): string {
  return text.replaceAll(/\$\{([^}]+)\}/g, (placeholder, name) => variables[name] ?? placeholder);
}

/** Reads a member of an answer by its path, such as `Messages.0.ReceiptHandle`. */
export function memberOf(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (owner, name) => (owner as Record<string, unknown> | undefined)?.[name],
    value,
  );
}
