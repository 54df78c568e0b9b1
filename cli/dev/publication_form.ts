import type { IncomingHttpHeaders } from "node:http";
import { ServiceError } from "../aws/service_call.ts";
import { type Publication, publicationOf, readForm } from "../aws/sns/publication.ts";
import { type Refusal, refusal } from "../lambda/http.ts";

const FORM = "application/x-www-form-urlencoded";

function publicationRefusal(problem: string): Refusal {
  return refusal(400, `Cannot publish the message: ${problem}`);
}

/**
 * Reads a message for a topic: plain text, or a form with `message`, `subject` and an `attribute=NAME:TYPE:VALUE` for each
 * attribute. The rules are those of Amazon SNS.
 *
 * @throws {Refusal} If a rule is broken.
 */
export function readPublication(headers: IncomingHttpHeaders, text: string): Publication {
  const type = (headers["content-type"] ?? "").split(";")[0]!.trim().toLowerCase();
  if (type !== FORM && type !== "text/plain") {
    const problem = `Cannot publish a message of the type "${type}"`;
    throw refusal(415, `${problem}: expected ${FORM} or text/plain`);
  }
  const fields: Iterable<[string, string]> = type === FORM
    ? new URLSearchParams(text)
    : [["message", text]];
  const query = [...fields].flatMap(([name, value], index) => queryOf(name, value, index + 1));
  try {
    return publicationOf(readForm(String(new URLSearchParams(query))));
  } catch (error) {
    if (error instanceof ServiceError) throw publicationRefusal(error.message);
    throw error;
  }
}

/** Returns a field of the form as the parameters of a request to Amazon SNS. */
function queryOf(name: string, value: string, number: number): [string, string][] {
  if (name === "message") return [["Message", value]];
  if (name === "subject") return [["Subject", value]];
  if (name !== "attribute") throw publicationRefusal(`${JSON.stringify(name)} is not a key`);
  const [all, key, type, content] = /^([^:]*):([^:]*):(.*)$/s.exec(value) ?? [];
  if (all === undefined) {
    const quoted = JSON.stringify(value);
    throw publicationRefusal(`the attribute ${quoted} must have the form NAME:TYPE:VALUE`);
  }
  const entry = `MessageAttributes.entry.${number}`;
  return [
    [`${entry}.Name`, key!],
    [`${entry}.Value.DataType`, type!],
    [`${entry}.Value.${type === "Binary" ? "Binary" : "String"}Value`, content!],
  ];
}
