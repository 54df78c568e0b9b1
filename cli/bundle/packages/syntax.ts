import type { Program } from "acorn";

/**
 * Looks into the syntax of JavaScript. CommonJS may have syntax that a module has not, and generated code may be nested too deep
 * to read: then the result is `undefined`.
 */
export async function lookInto<T>(
  text: string,
  sourceType: "module" | "script",
  look: (program: Program) => T,
): Promise<T | undefined> {
  const { parse } = await import("acorn"); // Few modules need it.
  try {
    return look(parse(text, {
      ecmaVersion: "latest",
      sourceType,
      allowReturnOutsideFunction: true, // of CommonJS
      allowHashBang: true,
      locations: true,
    }));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
