// A simple loop with fetch.
const { AWS_LAMBDA_RUNTIME_API: api, LAMBDA_TASK_ROOT: root, _HANDLER } = process.env;
const [module, name] = _HANDLER.split(".");
const { [name]: handler } = await import(`file://${root}/${module}.mjs`);
const base = `http://${api}/2018-06-01/runtime/invocation`;
for (;;) {
  const next = await fetch(`${base}/next`);
  const body = JSON.stringify(await handler(await next.json()));
  const id = next.headers.get("lambda-runtime-aws-request-id");
  await (await fetch(`${base}/${id}/response`, { method: "POST", body })).arrayBuffer();
}
