export const handler = (): string => "typed";
