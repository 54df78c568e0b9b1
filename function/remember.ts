/**
 * Makes a function that keeps its results for 100 short texts: those that all messages have, such as names of headers. The
 * result must depend on the text alone.
 */
export function remember<Result>(make: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    let result = known.get(text);
    if (result === undefined) {
      result = make(text);
      // Clients cannot make it grow further.
      if (known.size < 100 && text.length < 100) known.set(text, result);
    }
    return result;
  };
}
