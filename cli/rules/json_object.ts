/** Parses JSON. Returns `undefined` for any other text: the caller reports the problem. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses an object of JSON. Returns `undefined` for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts how deep the arrays and objects of a text are nested, without recursion. The text must be valid JSON. */
export function depthOf(json: string): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') isText = !isText;
    else if (character === "\\") at++; // It stands only in texts.
    else if (isText) continue;
    else if (character === "[" || character === "{") deepest = Math.max(deepest, ++depth);
    else if (character === "]" || character === "}") depth--;
  }
  return deepest;
}
