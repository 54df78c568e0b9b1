import type { HttpEvent } from "../events.ts";

/** A Lambda handler. */
export type Handler = (event: HttpEvent, context: object) => unknown;

export interface Service {
  /** `GET /menu/{dish}`: the dish with the query parameter `day`. */
  readonly dish: Handler;
  /** `POST /orders`: the body of the request, parsed and written again. */
  readonly order: Handler;
  /** `GET /archive`: one megabyte. */
  readonly archive: Handler;
  /** `GET /menu/{dish}` for an unknown dish: an error is thrown, caught and answered with 404. */
  readonly missing: Handler;
}

/** The service of a library with a router: one handler for all requests. */
export function serviceOf(handler: Handler): Service {
  return { dish: handler, order: handler, archive: handler, missing: handler };
}
