/**
 * The program of the custom runtime for AWS Lambda: loads the handler that `_HANDLER` names and serves the invocations
 * of the Runtime API with it, until the platform ends the process.
 *
 * @module
 */
import { loadHandler } from "./handler.ts";
import { takeOver } from "./process.ts";

takeOver(loadHandler);
