export const handler = () => "deep";
