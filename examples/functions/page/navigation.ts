import { type Html, html } from "./html.ts";

/** The functions with a page, and what they show. */
export const FUNCTIONS = {
  okay: "The request as the library reads it, accessor by accessor.",
  forbidden: "This function answers every request with status 403, and logs one error.",
  crash:
    "This function fails at every request. Its answer, status 500, says nothing of the cause; its log has the " +
    "stack and the whole chain of causes.",
} as const;

/** The name of a function with a page. */
export type FunctionName = keyof typeof FUNCTIONS;

/**
 * Links to the pages of the functions.
 *
 * @param current The function whose page this is.
 * @param path The path of the page, where it may lie below the function's own: `/v0/okay/a/b`. Only its slashes
 * are used, so whatever a caller puts there stays out of the links.
 */
export function navigation(current: FunctionName, path = ""): Html {
  const below = path.slice(path.indexOf(`/${current}`) + 1);
  const up = "../".repeat(path.includes(`/${current}`) ? below.split("/").length - 1 : 0);
  const links = Object.keys(FUNCTIONS).map((name) => {
    const href = up + name;
    return name === current
      ? html`<li><a href="${href}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${href}">${name}</a></li>`;
  });
  return html`
    <nav aria-label="Functions">
      <ul>${links}</ul>
    </nav>
  `;
}
