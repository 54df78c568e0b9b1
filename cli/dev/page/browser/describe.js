// What a span is, in a few words.
import { showCount } from "./units.js";

/** The short name of what a span is about, and its colour. */
export function badgeOf({ type, attributes }) {
  if (type === "request") return [attributes["mate.gateway"] === "url" ? "URL" : "HTTP", "http"];
  if (type === "invocation") return ["λ", "function"];
  const service = attributes["rpc.service"] ?? "call";
  return [{ DynamoDB: "Table", EventBridge: "Bus", Lambda: "Invoke" }[service] ?? service, "call"];
}

/** The name, and what comes after it: the resource of a call, or what has called a function. */
export function nameOf({ type, name, attributes }, isRoot = false) {
  const { "rpc.method": method, "mate.trigger.type": trigger } = attributes;
  if (type === "call" && method && name.startsWith(`${method} `)) {
    return [method, name.slice(method.length + 1)];
  }
  const isShown = type === "invocation" && trigger && trigger !== "route" && trigger !== "url" &&
    (isRoot || trigger === "authorizer" || trigger === "events");
  if (!isShown) return [name, ""];
  const cause = attributes["mate.trigger.name"];
  const isPlain = trigger === "authorizer" || cause === name || cause === "";
  const more = isPlain ? trigger : `${trigger} ${cause}`;
  return [name, more === name ? "" : more];
}

/** What happened: the attempt, what comes next, the status. Each with a colour. */
export function factsOf({ type, attributes, status, error, links }, isLinked) {
  const facts = [];
  const add = (text, tone = "") => facts.push([text, tone]);
  const { "mate.attempt": attempt, "mate.attempts": last = 0, "mate.denied": denied } = attributes;
  const bad = status === "failed" ? "bad" : status === "refused" ? "warn" : "";
  if (type === "request" && status !== "running") {
    add(attributes["http.response.status_code"], bad);
  }
  if (last > 1 && (attempt > 1 || status === "failed")) add(`attempt ${attempt} of ${last}`);
  const { "mate.dead_letters": dead, "mate.retried": retried, "mate.dropped": dropped } =
    attributes;
  const { "messaging.batch.message_count": records = 1 } = attributes;
  const part = (count) => records > 1 ? `${count} of ${records} ` : "";
  if (dead) add(`${part(dead)}to the dead letters`, "bad");
  if (dropped) add("given up", "bad");
  if (retried && status === "failed") {
    add(`${part(retried)}${retried === 1 || records === 1 ? "comes" : "come"} again`, "warn");
  }
  if (records > 1 && !dead && !retried) add(`${records} records`);
  if (attributes["faas.coldstart"]) add("cold");
  if (denied) add(`may not ${denied}`, "bad");
  else if (type === "call" && bad) add(error?.type ?? status, bad);
  if (isLinked && links.length > 1) add(`of ${showCount(links.length, "cause")}`);
  if (status === "running") add("running");
  return facts;
}

/** Reads how long an invocation waited, was started, and ran. */
export function phasesOf({ start, end, type, attributes }, now) {
  const until = end ?? now;
  const waited = type === "invocation" ? attributes["mate.queue_time"] ?? 0 : 0;
  const init = type === "invocation" ? attributes["mate.init_duration"] ?? 0 : 0;
  const begun = Math.min(start + waited, until);
  const ready = Math.min(begun + init, until);
  return [["waited", start, begun], ["init", begun, ready], ["ran", ready, until]]
    .filter(([name, from, to]) => name === "ran" || to > from);
}
