import { expect, Renderer } from "./render.ts";
import { currentRequestId } from "./request_id.ts";
import { currentLevel, readEnvironment } from "./state.ts";
import { write } from "./write.ts";

/** A unit of Amazon CloudWatch metrics. */
export type MetricUnit =
  | "None"
  | "Percent"
  | `${"S" | "Millis" | "Micros"}econds`
  | `${"Count" | `${"B" | "Kilob" | "Megab" | "Gigab" | "Terab"}${"ytes" | "its"}`}${
    | ""
    | "/Second"}`;

/** The options of a metric: unit, dimensions and namespace. */
export interface MetricOptions {
  /** The unit of the value. Without it, Amazon CloudWatch assumes `None`. */
  readonly unit?: MetricUnit | undefined;
  /** Names and values that divide the metric, at most 30. Each combination of values is a separate metric. */
  readonly dimensions?: Readonly<Record<string, string>>;
  /** The namespace of the metric; by default the name of the function. */
  readonly namespace?: string;
}

const UNIT =
  /^(None|Percent|(S|Millis|Micros)econds|(Count|(B|(Kilo|Mega|Giga|Tera)b)(ytes|its))(\/Second)?)$/;

/** Writes a metric on one line, unless the level is `OFF`. */
export function logMetric(
  name: string,
  value: number,
  options: MetricOptions,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  const functionName = readEnvironment("AWS_LAMBDA_FUNCTION_NAME");
  const { unit, dimensions = {}, namespace = functionName || "local" } = options;
  const names = Object.keys(dimensions);
  const check = (isValid: boolean, expected: string) =>
    expect(isValid, "write a metric", expected, { name, value, namespace, ...options });
  check(
    [namespace, name, ...names].every((text) => isText(text, /^(?!AWS\/|_aws$|:).{1,255}$/)),
    "names of 1 to 255 ASCII characters, not AWS/…, :…, _aws",
  );
  check(
    names.length <= 30 && !names.includes(name) &&
      Object.values(dimensions).every((text) => isText(text, /^.{1,1024}$/)),
    "at most 30 dimensions of 1 to 1024 ASCII characters, not named as the metric",
  );
  check(typeof value === "number" && Math.abs(value) <= 2 ** 360, "a value up to 2^360");
  check(!unit || UNIT.test(unit), "a unit of CloudWatch");

  const level = currentLevel();
  if (level === "OFF") return;
  const now = new Date();
  const metric = {
    Namespace: namespace,
    Dimensions: [names],
    Metrics: [{ Name: name, Unit: unit }],
  };
  const document = {
    ...new Renderer().plain({
      ...fields,
      // If the line has no time or no level, AWS Lambda treats it as INFO and may drop it.
      timestamp: now.toISOString(),
      level,
      requestId: currentRequestId(),
      ...dimensions,
    }) as object,
    [name]: value,
    _aws: { Timestamp: now.getTime(), CloudWatchMetrics: [metric] },
  };
  write(JSON.stringify(document));
}

/** Tells whether a value is a text that is not blank, has only ASCII characters, and matches a pattern. */
function isText(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value) && /^(?=.*\S)[ -~]+$/.test(value);
}
