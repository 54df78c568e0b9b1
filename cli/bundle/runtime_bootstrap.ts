// The entry point of the bundled runtime in the layer.
import "@mate/core/runtime/bootstrap";
