/** A handler whose errors have deep stacks and a chain of causes. */
export const handler = () => {
  try {
    try {
      dive(70, "refused");
    } catch (cause) {
      dive(70, "no connection", cause);
    }
  } catch (cause) {
    dive(70, "no order", cause);
  }
};

function dive(depth, message, cause) {
  if (depth === 0) throw new TypeError(message, { cause });
  dive(depth - 1, message, cause);
}
