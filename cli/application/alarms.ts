import type { Alarm, Application } from "./types.ts";

/** Makes the alarms of an application: errors and throttles of functions, dead letters, 5xx of the HTTP gateway. */
export function alarmsOf(application: Omit<Application, "alarms">): Record<string, Alarm> {
  const { name, stage, functions, queues, tables, gateway } = application;
  const deadLetters = [
    ...Object.values(queues).map((queue) => queue.deadLetters),
    ...Object.values(tables).flatMap(({ listeners }) =>
      listeners.map((listener) => listener.deadLetters)
    ),
  ];
  return Object.fromEntries([
    ...Object.values(functions).flatMap((fn) =>
      ["Errors", "Throttles"].map((metric) => [
        `${fn.name}-${metric.toLowerCase()}`,
        {
          description: `${metric} of the function ${fn.name}`,
          namespace: "AWS/Lambda",
          metric,
          statistic: "Sum",
          dimensions: { FunctionName: fn.name },
        },
      ])
    ),
    ...deadLetters.map((queue) => [
      queue.name,
      {
        description: `Messages in the dead-letter queue ${queue.name}`,
        namespace: "AWS/SQS",
        metric: "ApproximateNumberOfMessagesVisible",
        statistic: "Maximum",
        dimensions: { QueueName: queue.name },
      },
    ]),
    ...gateway === undefined ? [] : [[
      `${name}-5xx`,
      {
        description: `Responses 5xx of the HTTP gateway of ${name}`,
        namespace: "AWS/ApiGateway",
        metric: "5XXError",
        statistic: "Sum",
        dimensions: { ApiName: gateway.name, Stage: stage },
      },
    ]],
  ]);
}
