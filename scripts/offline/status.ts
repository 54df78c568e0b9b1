/** Stand-in for `@std/http/status` on `node:http`, for networks without JSR. */
import { STATUS_CODES } from "node:http";

export const STATUS_TEXT: Record<number, string> = Object.fromEntries(
  Object.entries(STATUS_CODES).map(([code, text]) => [Number(code), text ?? ""]),
);
