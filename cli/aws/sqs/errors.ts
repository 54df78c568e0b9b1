import { ServiceError } from "../service_call.ts";

/**
 * The errors of Amazon SQS. The code is that of the older query protocol, which the service still sends.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html
 */
export const invalidValue = (message: string): ServiceError =>
  new ServiceError("InvalidParameterValue", message, "InvalidParameterValueException");

export const invalidParameter = (name: string, value: unknown, reason: string): ServiceError =>
  invalidValue(`Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);

export const missingParameter = (name: string): ServiceError =>
  new ServiceError(
    "MissingParameter",
    `The request must contain the parameter ${name}.`,
    "MissingRequiredParameterException",
  );

/** An error whose code has the prefix of the service. */
export const queueError = (type: string, message: string, status = 400): ServiceError =>
  new ServiceError(`AWS.SimpleQueueService.${type}`, message, type, status);

export const unknownQueue = (): ServiceError =>
  new ServiceError(
    "AWS.SimpleQueueService.NonExistentQueue",
    "The specified queue does not exist.",
    "QueueDoesNotExist",
  );

export const invalidHandle = (handle: string): ServiceError =>
  new ServiceError(
    "ReceiptHandleIsInvalid",
    `The input receipt handle "${handle}" is not a valid receipt handle.`,
    "ReceiptHandleIsInvalid",
    404,
  );

/** An error of the form of a request: JSON that cannot be read, or a value of a wrong type. */
export const malformed = (message: string): ServiceError =>
  new ServiceError("SerializationException", message);
