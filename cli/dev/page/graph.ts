import { invokersOf, mayGrant } from "../../application/invoking.ts";
import type { Application } from "../../application/types.ts";

/** A place of the application on the map. */
export interface Place {
  /** The word by which the page filters, such as `function:api` or `queue:jobs`. */
  readonly id: string;
  /** What it is, such as `queue`. */
  readonly kind: string;
  readonly name: string;
}

/** A way from one place to another. */
export interface Way {
  readonly from: string;
  readonly to: string;
  /** A function that only reads a resource calls nothing by that. */
  readonly isRead: boolean;
}

export interface Graph {
  readonly places: readonly Place[];
  readonly ways: readonly Way[];
}

/** What a function may do to a resource: the actions that write, and those that read. */
const ACTIONS = {
  bucket: [["s3:PutObject", "s3:DeleteObject"], ["s3:GetObject"]],
  topic: [["sns:Publish"], []],
  queue: [["sqs:SendMessage"], []],
  table: [
    ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:Scan"],
  ],
  function: [["lambda:InvokeFunction"], []],
} as const;

/** Lists the places of an application, and what leads from one to another. */
export function graphOf(application: Application): Graph {
  const places = new Map<string, Place>();
  const ways = new Map<string, Way>();
  const put = (kind: string, key: string, name: string = key) => {
    const id = `${kind}:${key}`;
    places.set(id, { id, kind, name });
    return id;
  };
  const link = (from: string, to: string, isRead = false) =>
    ways.set(`${from} ${to}`, { from, to, isRead });
  const { gateway, functions } = application;
  for (const name of Object.keys(functions)) {
    const id = put("function", name);
    const invokers = invokersOf(application, name);
    if (invokers.routes.length > 0) {
      const count = gateway!.routes.length;
      link(put("gateway", "", count === 1 ? "1 route" : `${count} routes`), id);
    }
    if (gateway !== undefined && Object.hasOwn(gateway.authorizers, name)) link("gateway:", id);
    if (invokers.url !== undefined) link(put("url", name, "function URL"), id);
    const [first, ...others] = invokers.schedules;
    if (first !== undefined) {
      const title = others.length > 0 ? `${others.length + 1} schedules` : first.expression;
      link(put("schedule", name, title), id);
    }
    for (const { bus } of invokers.events) link(put("bus", bus), id);
    for (const kind of ["bucket", "topic", "queue", "table"] as const) {
      for (const key of invokers[`${kind}s`]) link(put(kind, key), id);
    }
  }
  for (const [kind, [writing, reading]] of Object.entries(ACTIONS)) {
    const resources = application[`${kind}s` as "buckets"];
    for (const [key, { arn }] of Object.entries(resources)) {
      const id = put(kind, key);
      for (const [name, { statements }] of Object.entries(functions)) {
        const may = (actions: readonly string[]) =>
          statements.some((statement) =>
            mayGrant(statement, actions, kind === "bucket" ? `${arn}/x` : arn)
          );
        if (may(writing)) link(`function:${name}`, id);
        else if (may(reading)) link(`function:${name}`, id, true);
      }
    }
  }
  for (const { kind, id, name } of [...places.values()]) {
    if (kind !== "bus") continue;
    const arn = `arn:aws:events:us-east-1:000000000000:event-bus/${name}`;
    for (const [owner, { statements }] of Object.entries(functions)) {
      const may = statements.some((one) => mayGrant(one, ["events:PutEvents"], arn));
      if (may) link(`function:${owner}`, id);
    }
  }
  const known = [...ways.values()].filter(({ from, to }) => places.has(from) && places.has(to));
  return { places: [...places.values()], ways: known };
}

/** Returns what is at most two ways from a function: its neighbours, and theirs. */
export function neighbourhood({ places, ways }: Graph, id: string): Graph {
  const near = new Set([id]);
  for (let step = 0; step < 2; step++) {
    for (const one of [...near]) {
      for (const { from, to } of ways) {
        if (from === one) near.add(to);
        if (to === one) near.add(from);
      }
    }
  }
  return {
    places: places.filter((place) => near.has(place.id)),
    ways: ways.filter(({ from, to }) => near.has(from) && near.has(to)),
  };
}
