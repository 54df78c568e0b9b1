/**
 * A platform for the models: `platform.ts FOLDER`. Prints the URL of its services, and its log on the standard error.
 *
 * @module
 */
import { startTestPlatform } from "../../cli/testdata/platform.ts";

const { platform, log } = await startTestPlatform(() => "{}", { data: Deno.args[0]! });
log.follow(({ text }) => console.error(text));
console.log(platform.servicesUrl);
