/** The handlers that the tests load as `index.NAME`. */
export const handler = (event) => ({ got: event });
export const text = "not a function";
export const web = { fetch: () => new Response() };
export const app = {
  name: "app",
  handle() {
    return this.name;
  },
};
export const old = (_event, _context, callback) => callback(null, 1);

/** Behaves as the event says. */
export const faults = (event) => {
  switch (event.fault) {
    case "never":
      return new Promise(() => {});
    case "rejection":
      Promise.reject(new TypeError("nobody handles this"));
      return new Promise((resolve) => setTimeout(resolve, 10_000));
    case "uncaught":
      setTimeout(() => {
        throw new RangeError("nobody catches this");
      });
      return new Promise((resolve) => setTimeout(resolve, 10_000));
    case "two":
      for (const name of ["first", "second"]) Promise.reject(new TypeError(name));
      return new Promise((resolve) => setTimeout(resolve, 10_000));
    case "stream":
      return (async function* () {
        yield "first";
        setTimeout(() => {
          throw new RangeError("aside");
        });
        await new Promise((resolve) => setTimeout(resolve, 10_000));
      })();
    case "short stream":
      return (async function* () {
        yield "first";
      })();
    case "stuck stream":
      return (async function* () {
        yield "first";
        await new Promise(() => {});
      })();
    case "unread stream":
      return (async function* () {
        setTimeout(() => {
          throw new RangeError("aside");
        }, 100);
        for (;;) yield new Uint8Array(1_000_000);
      })();
    default:
      return event;
  }
};
