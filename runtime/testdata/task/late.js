Promise.reject(new RangeError("nobody handles this"));
await new Promise((resolve) => setTimeout(resolve, 20));
export const handler = () => 1;
