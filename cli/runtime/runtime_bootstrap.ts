/** The entry point of the runtime in the layer. The variables of the manifest are set before the runtime reads any. */
import "./function_environment.ts";
import "@mate/core/runtime/bootstrap";
