// The loop as one would write it with fetch.
const api = Deno.env.get("AWS_LAMBDA_RUNTIME_API");
const root = Deno.env.get("LAMBDA_TASK_ROOT");
const [module, name] = Deno.env.get("_HANDLER").split(".");
const { [name]: handler } = await import(`file://${root}/${module}.mjs`);
const base = `http://${api}/2018-06-01/runtime/invocation`;
for (;;) {
  const next = await fetch(`${base}/next`);
  const result = await handler(await next.json());
  const id = next.headers.get("lambda-runtime-aws-request-id");
  const answer = await fetch(`${base}/${id}/response`, {
    method: "POST",
    body: JSON.stringify(result),
  });
  await answer.arrayBuffer();
}
