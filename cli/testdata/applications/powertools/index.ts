import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
import { DynamoDBPersistenceLayer } from "@aws-lambda-powertools/idempotency/dynamodb";
import { Logger } from "@aws-lambda-powertools/logger";
import type { Context } from "aws-lambda";
import { randomUUID } from "node:crypto";

const logger = new Logger({ serviceName: "payments" });
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env.IDEMPOTENCY_TABLE! });
const config = new IdempotencyConfig({ eventKeyJmesPath: "order" });

interface Payment {
  order: string;
  amount: number;
}

const pay = async ({ order, amount }: Payment, context: Context) => {
  logger.addContext(context);
  logger.info("Charging", { order });
  if (amount <= 0) throw new RangeError("amount must be positive");
  return { order, amount, payment: randomUUID() };
};

const payOnce = makeIdempotent(pay, { persistenceStore, config });

export const handler = async (
  event: Payment & { again?: boolean },
  context: Context,
) => {
  config.registerLambdaContext(context);
  const { again, ...payment } = event;
  const first = await payOnce(payment, context);
  if (!again) return first;
  const second = await payOnce(payment, context);
  return { ...second, same: first.payment === second.payment, payment: undefined };
};
