/**
 * Splits a path at its slashes.
 *
 * @param path The path.
 * @returns What is between the slashes. Neither a leading nor a trailing slash makes an empty element.
 */
export function splitPath(path: string): string[] {
  const elements: string[] = [];
  let start = path.startsWith("/") ? 1 : 0;
  for (let slash; (slash = path.indexOf("/", start)) >= 0; start = slash + 1) {
    elements.push(path.slice(start, slash));
  }
  if (start < path.length) elements.push(path.slice(start));
  return elements;
}
