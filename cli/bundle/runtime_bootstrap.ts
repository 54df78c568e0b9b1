/** The entry point of the runtime in the layer. */
import "@mate/core/runtime/bootstrap";
