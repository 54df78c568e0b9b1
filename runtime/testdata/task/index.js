export const handler = (event) => ({ got: event });
export const text = "not a function";
export const app = {
  name: "app",
  handle() {
    return this.name;
  },
};
export const old = (_event, _context, callback) => callback(null, 1);
