/**
 * Compares an answer with the recorded answer. Members that the recording does not name are not compared.
 *
 * @module
 */

/** Lists how a value differs from the recorded value. */
export function* differences(recorded: unknown, value: unknown, path = ""): Generator<string> {
  const differs = (expected: unknown) =>
    `${path || "the answer"}: expected ${show(expected)}, got ${show(value)}`;
  if (recorded === "<any>") {
    if (value === undefined) yield differs("any value");
  } else if (recorded === "<absent>") {
    if (value !== undefined) yield differs("no such member");
  } else if (recorded === "<account>") {
    if (!/^\d{12}$/.test(String(value))) yield differs("an account");
  } else if (recorded instanceof Uint8Array) {
    const isEqual = value instanceof Uint8Array && recorded.toBase64() === value.toBase64();
    if (!isEqual) yield differs(recorded);
  } else if (recorded instanceof Date) {
    if (!(value instanceof Date) || Number(value) !== Number(recorded)) yield differs(recorded);
  } else if (Array.isArray(recorded)) {
    yield* compareLists(recorded, value, path);
  } else if (typeof recorded === "object" && recorded !== null) {
    const [[key, argument] = ["", undefined]] = Object.entries(recorded);
    if (key.startsWith("$") && key !== "$metadata") yield* compareBy(key, argument, value, path);
    else yield* compareMembers(recorded as Record<string, unknown>, value, path);
  } else if (recorded !== value) {
    yield differs(recorded);
  }
}

function* compareLists(recorded: readonly unknown[], value: unknown, path: string) {
  if (!Array.isArray(value) || value.length !== recorded.length) {
    yield `${path || "the answer"}: expected ${recorded.length} items, got ${show(value)}`;
    return;
  }
  for (const [index, item] of recorded.entries()) {
    yield* differences(item, value[index], `${path}[${index}]`);
  }
}

function* compareMembers(recorded: Record<string, unknown>, value: unknown, path: string) {
  if (typeof value !== "object" || value === null) {
    yield `${path || "the answer"}: expected ${show(recorded)}, got ${show(value)}`;
    return;
  }
  for (const [name, member] of Object.entries(recorded)) {
    const found = (value as Record<string, unknown>)[name];
    yield* differences(member, found, path === "" ? name : `${path}.${name}`);
  }
}

/** Compares by a rule, such as `{ "$matches": "^a" }`. */
function* compareBy(rule: string, argument: unknown, value: unknown, path: string) {
  const differs = (expected: string) =>
    `${path || "the answer"}: expected ${expected}, got ${show(value)}`;
  switch (rule) {
    case "$exactly": {
      yield* differences(argument, value, path);
      const further = Object.keys(value ?? {}).filter((name) =>
        (value as Record<string, unknown>)[name] !== undefined &&
        !Object.hasOwn(argument as object, name)
      );
      if (further.length > 0) yield `${path || "the answer"}: unexpected ${further.join(", ")}`;
      break;
    }
    case "$matches":
      if (!new RegExp(argument as string).test(String(value))) yield differs(`/${argument}/`);
      break;
    case "$length": {
      const { length } = (value ?? {}) as { length?: number };
      if (length !== argument) yield differs(`${argument} items`);
      break;
    }
    case "$unordered": {
      const left = Array.isArray(value) ? [...value] : [];
      if (left.length !== (argument as unknown[]).length) {
        yield differs(`${(argument as unknown[]).length} items`);
      }
      for (const item of argument as unknown[]) {
        const index = left.findIndex((candidate) => differences(item, candidate).next().done);
        if (index < 0) yield differs(`an item such as ${show(item)}`);
        else left.splice(index, 1);
      }
      break;
    }
    case "$json":
      try {
        yield* differences(argument, JSON.parse(String(value)), path);
      } catch {
        yield differs("JSON");
      }
      break;
    case "$base64":
      try {
        const text = new TextDecoder().decode(Uint8Array.fromBase64(String(value)));
        yield* differences(argument, text, path);
      } catch {
        yield differs("text in base64");
      }
      break;
    case "$fields":
      yield* compareMembers(lowerCase(argument), lowerCase(value), path);
      break;
    default:
      throw new TypeError(`Cannot compare by "${rule}": the runner does not know this rule`);
  }
}

function lowerCase(fields: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function show(value: unknown): string {
  const text = value instanceof Uint8Array
    ? `${value.length} bytes`
    : JSON.stringify(value) ?? "nothing";
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
