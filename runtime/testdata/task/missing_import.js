export { handler } from "./nowhere.js";
