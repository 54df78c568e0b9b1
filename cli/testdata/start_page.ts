import { assertEquals } from "@std/assert";
import type { Locator, Page } from "playwright-core";
import axe from "axe-core";

/** Asserts that a place of the start page has no finding of axe, and that nothing sticks out: light on a desk, dark on a phone. */
export async function assertAccessible(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  // The browser runs this code in spite of the content security policy, because it does not come from the page.
  await page.evaluate(axe.source);
  for (const [colorScheme, width] of [["light", 1_280], ["dark", 420]] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const excess = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    assertEquals(excess, 0, `nothing sticks out of ${hash} with ${width} pixels`);
    const { violations } = await page.evaluate("axe.run()") as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    assertEquals(violations.map(({ id, nodes }) => `${hash} ${id}: ${nodes[0]!.html}`), []);
  }
}

/** Opens the start page, and collects what the browser complains about. */
export async function openStartPage(page: Page, controlUrl: string): Promise<string[]> {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(controlUrl);
  await page.getByText("Live", { exact: true }).waitFor();
  return complaints;
}

/** Finds the rows with a text in the list of traces. */
export const rowOf = (page: Page, text: string): Locator =>
  page.locator("#trace-list [role=option]").filter({ hasText: text });
