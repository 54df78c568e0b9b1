/** The values of the variables of a case, such as `q.arn`. */
export type Variables = Record<string, string>;

/** Makes the value that an input of a case describes: `{ "$repeat": [text, count] }`, `${variable}` and the others. */
export function fill(value: unknown, variables: Variables): unknown {
  if (typeof value === "string") return fillText(value, variables);
  if (Array.isArray(value)) return value.map((item) => fill(item, variables));
  if (typeof value !== "object" || value === null) return value;
  const [[key, argument] = ["", undefined], ...others] = Object.entries(value);
  if (others.length === 0) {
    switch (key) {
      case "$repeat": {
        const [text, count] = argument as [string, number];
        return text.repeat(count);
      }
      case "$concat":
        return (argument as unknown[]).map((part) => fill(part, variables)).join("");
      case "$bytes":
        return Uint8Array.fromBase64(argument as string);
      case "$date":
        return new Date(Date.now() + (argument as number) * 1_000);
      case "$dateText":
        return new Date(fillText(argument as string, variables));
      case "$jsonText":
        return JSON.stringify(fill(argument, variables));
      case "$undefined":
        return undefined;
    }
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, fill(member, variables)]),
  );
}

function fillText(text: string, variables: Variables): string {
  return text.replaceAll(/\$\{([^}]+)\}/g, (placeholder, name) => variables[name] ?? placeholder);
}

/** Reads a member of an answer by its path, such as `Messages.0.ReceiptHandle`. */
export function memberOf(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (owner, name) => (owner as Record<string, unknown> | undefined)?.[name],
    value,
  );
}
