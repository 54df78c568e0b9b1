/** A browser for tests. */
import { type Browser, chromium } from "playwright-core";

const CHOSEN = Deno.env.get("CHROME_PATH");
const PLACES = CHOSEN ? [CHOSEN] : [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const EXECUTABLE = PLACES.find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
});
if (EXECUTABLE === undefined) {
  const places = PLACES.join(", ");
  console.error(
    `NOT RUN: the tests in a browser: no Chromium at ${places}; install it or set CHROME_PATH`,
  );
}

/** How many milliseconds a page may wait for something that never comes. */
const LIMIT = 300_000;

/** Registers a test in a browser. Without Chromium, the test is ignored and its name says so. */
export function browserTest(
  name: string,
  run: (browser: Browser, t: Deno.TestContext) => Promise<void>,
): void {
  Deno.test({
    name: EXECUTABLE === undefined ? `${name} (not run: no Chromium)` : name,
    ignore: EXECUTABLE === undefined,
    timeout: LIMIT,
    async fn(t) {
      const browser = await chromium.launch({
        executablePath: EXECUTABLE!,
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
      });
      // A wait for an element is as generous, because the machine may be busy.
      browser.on("context", (context) => context.setDefaultTimeout(LIMIT));
      try {
        await run(browser, t);
      } finally {
        await browser.close();
      }
    },
  });
}
