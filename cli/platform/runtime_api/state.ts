/** Where a runtime is between its start and its next invocation. */
export type State =
  | "Started"
  | "InitError"
  | "Ready"
  | "Running"
  | "InvocationResponse"
  | "InvocationErrorResponse"
  | "ResponseSent";

/** What a runtime asks for. */
export type Transition = "Ready" | "InitError" | "InvocationResponse" | "InvocationErrorResponse";

/** From which states each request is allowed. Asking for *next* again while an invocation runs gives it once more. */
const ALLOWED: Readonly<Record<Transition, readonly State[]>> = {
  Ready: ["Started", "Ready", "Running", "ResponseSent"],
  InitError: ["Started"],
  InvocationResponse: ["Running"],
  InvocationErrorResponse: ["Running"],
};

/** Whether a runtime may go from a state to another. */
export function isAllowed(state: State, transition: Transition): boolean {
  return ALLOWED[transition].includes(state);
}

/** The names that messages give to the states. */
export function nameState(state: State): string {
  return state === "ResponseSent" ? "RuntimeResponseSentState" : state;
}
