/** Tells whether a value is a plain object: not an array, not an instance of a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  // The Object.prototype of any realm (`vm`, a test runner) ends the prototype chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The name of the class of a built-in object, such as `Map`, also for an object of another realm. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** Tells whether a value is a promise, also one of another realm. */
export function isThenable(value: unknown): boolean {
  return typeof Object(value).then === "function";
}

/** Names the kind of a value for an error message. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  if (isPlainObject(value)) return "an object";
  const tag = tagOf(value);
  return `an instance of ${tag === "Object" ? value.constructor?.name : tag}`;
}

/** The text of a value for an error message, a string in quotes. */
export function quote(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** Makes the error for an invalid argument. If the argument is given too, the error names its kind. */
export function invalid(what: string, expected: string, ...got: unknown[]): TypeError {
  const kind = got.map((value) => `, got ${kindOf(value)}`);
  return new TypeError(`Invalid ${what}: expected ${expected}${kind}`);
}

/** Checks the names of options. */
export function checkNames(options: unknown, names: readonly string[]): void {
  if (!isPlainObject(options)) throw invalid("options", "a plain object");
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `Unknown option "${unknown}": expected one of ${names.join(", ")}`,
  );
}
