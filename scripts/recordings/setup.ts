import type { Setup } from "./cases.ts";
import type { Clients } from "./clients.ts";
import { fill, type Variables } from "./values.ts";

/** Makes the queues, the topics and the subscriptions of a case, and their variables. */
export async function makeResources(
  { queues = {}, topics = {}, subscriptions = [] }: Setup,
  clients: Clients,
  unique: string,
): Promise<Variables> {
  const variables: Variables = { unique };
  const call = (operation: string, input: Record<string, unknown>) =>
    clients.output(operation, fill(input, variables) as typeof input);
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
