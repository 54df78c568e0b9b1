import { isIPv6 } from "node:net";
import { scheduleProblem } from "../rules/schedule.ts";
import type { Format } from "./checker.ts";
import { fillPlaceholders, hasKnownPlaceholders, PLACEHOLDERS } from "./variables.ts";

/** The formats that the JSON Schema of the manifest names, because no pattern describes them. */
export const FORMATS: Readonly<Record<string, Format>> = {
  host: (text) =>
    text === "*" || isHost(fillPlaceholders(text, () => "x"))
      ? undefined
      : "must be a host such as api.example.com:443, or *",
  placeholders: placeholderProblem,
  // IAM's own variables, such as ${aws:username}, are not placeholders.
  "policy-placeholders": (text) =>
    placeholderProblem(text.replaceAll(/\$\{(\w+:[^}]*|[*?$])\}/g, "")),
  schedule: scheduleProblem,
  "time-zone": (text) => isTimeZone(text) ? undefined : "must be a time zone such as Europe/Paris",
};

function placeholderProblem(text: string): string | undefined {
  return hasKnownPlaceholders(text)
    ? undefined
    : `must have no placeholders except ${PLACEHOLDERS}`;
}

const HOST_PATTERN =
  /^(?:(?:\*\.)?[\w-]+(?:\.[\w-]+)*|\[(?<address>[^\]%]*)\])(?::(?<port>\d{1,5}))?$/;

/** Tells whether Deno accepts a text such as `api.example.com:443` or `[::1]:80` in `--allow-net`. */
function isHost(text: string): boolean {
  const { groups } = HOST_PATTERN.exec(text) ?? {};
  if (groups === undefined) return false;
  const { address, port = "1" } = groups;
  return (address === undefined || isIPv6(address)) && Number(port) >= 1 && Number(port) <= 65_535;
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
