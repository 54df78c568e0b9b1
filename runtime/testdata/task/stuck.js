await new Promise(() => {});
export const handler = () => 1;
