/**
 * Prints how many files of tests run at the same time: two for each processor, because most of them wait for other programs.
 *
 * @module
 */
console.log(Deno.env.get("DENO_JOBS") ?? 2 * navigator.hardwareConcurrency);
