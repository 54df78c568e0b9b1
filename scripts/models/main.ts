/**
 * Compares the local services with their models for some time: `deno task models [seconds] [seed]`.
 *
 * @module
 */
import * as lock from "./lock.ts";
import * as pool from "./pool.ts";
import * as restarts from "./restarts.ts";
import * as s3 from "./s3.ts";
import * as sqs from "./sqs.ts";

const [seconds = "60", seed = String(Date.now() % 1e9)] = Deno.args;
for (const [name, { run }] of Object.entries({ lock, pool, restarts, s3, sqs })) {
  console.log(`${name} for ${seconds} s with the seed ${seed}`);
  console.log(`${name}: ${await run(Number(seconds), Number(seed))}`);
}
