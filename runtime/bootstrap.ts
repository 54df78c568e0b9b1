/**
 * The program of the custom runtime: loads the handler that `_HANDLER` names and serves the Runtime API's invocations
 * with it, until the platform ends the process.
 *
 * @module
 */
import { loadHandler } from "./handler.ts";
import { takeOver } from "./process.ts";

takeOver(loadHandler);
