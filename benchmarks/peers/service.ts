import type { RestEvent } from "../workloads/_events.ts";

/** A handler of the platform's. */
export type Handler = (event: RestEvent, context: object) => unknown;

/**
 * The same service, made with one library: it answers in JSON indented by two spaces, gzipped where the
 * request allows it.
 */
export interface Service {
  /** The library. */
  readonly name: string;
  /** `GET /menu/{dish}`: the dish, which the parameter `day` is part of. */
  readonly dish: Handler;
  /** `POST /orders`: the body of the request, parsed and written again. */
  readonly order: Handler;
  /** `GET /archive`: one megabyte. */
  readonly archive: Handler;
  /** `GET /menu/{dish}` of a dish that is not there: an error is thrown, caught, and answered with 404. */
  readonly missing: Handler;
}
