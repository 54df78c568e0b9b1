/** The server of a Web Function. */
export { listen } from "@mate/core/web";
