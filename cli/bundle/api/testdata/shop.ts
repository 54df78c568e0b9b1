import { Kept } from "../../../programs/kept.ts";
import { bundles, makeApp } from "../../../testdata/bundle.ts";
import { describeApi, type DescribeOptions, makeOwnFiles } from "../describe_api.ts";

let made: ReturnType<typeof makeOwnFiles> | undefined;
const ownFiles = () => made ??= makeOwnFiles({ kept: new Kept(console.warn) });

/** Makes an application with routes for orders, and with these modules. It describes itself with one of them. */
export async function makeShop(modules: Readonly<Record<string, string>>) {
  const routes = [
    { method: "GET", path: "/orders" },
    { method: "ANY", path: "/orders/{id}", authorizer: "check" },
    { method: "GET", path: "/keys", authorizer: "key" },
    { method: "GET", path: "/mine", authorizer: "users" },
  ];
  const functions = {
    orders: { module: "orders.ts", environment: { KEY: "sesame" }, triggers: { routes } },
    check: { module: "check.ts" },
    key: { module: "key.ts", ttl: 60, identity: ["context.httpMethod", "querystring.key"] },
  };
  const authorizers = { users: { issuer: "https://login.example", audience: ["shop"] } };
  const settings = { name: "shop", api: "api.ts", authorizers };
  const app = await makeApp(modules, functions, settings);
  const application = await app.read();
  return {
    describe: (api: string, options: Partial<DescribeOptions> = {}) =>
      describeApi({
        manifestPath: app.manifest,
        application: { ...application, api },
        ownFiles,
        bundles,
        ...options,
      }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** Describes an application once. */
export async function describe(
  modules: Readonly<Record<string, string>>,
  options: Partial<DescribeOptions> = {},
) {
  await using shop = await makeShop(modules);
  return await shop.describe("api.ts", options);
}

/** The description of an operation. */
export const GONE = '{ responses: { 204: "Gone" } }';
