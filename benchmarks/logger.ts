import process from "node:process";
import { Logger } from "npm:@aws-lambda-powertools/logger@2.35.0";
import { pino } from "npm:pino@10.4.0";
import { logger } from "../logger/mod.ts";
import { loggerState } from "../logger/state.ts";
import type { Workload } from "./contest.ts";

let line = "";
const write = (text: string) => {
  line = text;
};

process.env["AWS_LAMBDA_LOG_FORMAT"] = "JSON";
loggerState().write = write;
const powertools = new Logger({ serviceName: "orders", logLevel: "INFO" });
Object.assign(powertools, { console: { info: write, error: write, debug: write } });
const pinoLogger = pino({ timestamp: pino.stdTimeFunctions.isoTime }, { write });

const ORDER = { id: "A-1", dish: "soup", count: 3, paid: true, notes: ["hot", "to go"] };
const FAILURE = new TypeError("no supplier", { cause: new Error("timed out") });

/** A workload for the loggers. The result of a call is the line that the logger wrote. */
function workload(
  name: string,
  parts: readonly string[],
  contestants: Readonly<Record<string, () => void>>,
): Workload {
  return {
    name,
    contestants: Object.fromEntries(
      Object.entries(contestants).map(([name, log]) => [name, () => {
        line = "";
        log();
        return line;
      }]),
    ),
    check: (result) => {
      const text = String(result);
      if (text !== "") JSON.parse(text);
      const missing = parts.find((part) => !text.includes(part));
      if (missing !== undefined) throw new Error(`${missing} is missing in ${text.slice(0, 80)}`);
    },
  };
}

/** One record of a logger. */
export const records: readonly Workload[] = [
  workload("log record with data", ["Ordered", "soup", "to go"], {
    "@mate/core": () => logger.info("Ordered", ORDER),
    Powertools: () => powertools.info("Ordered", { order: ORDER }),
    pino: () => pinoLogger.info(ORDER, "Ordered"),
  }),
  workload("log record with error", ["Cannot order", "no supplier", "timed out"], {
    "@mate/core": () => logger.error("Cannot order", FAILURE),
    Powertools: () => powertools.error("Cannot order", FAILURE),
    pino: () => pinoLogger.error(FAILURE, "Cannot order"),
  }),
  workload("log record below the level", [], {
    "@mate/core": () => logger.debug("Ordered", ORDER),
    Powertools: () => powertools.debug("Ordered", { order: ORDER }),
    pino: () => pinoLogger.debug(ORDER, "Ordered"),
  }),
];
