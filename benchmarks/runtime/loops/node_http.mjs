// The loop as one would write it with node:http.
import { Buffer } from "node:buffer";
import http from "node:http";
import process from "node:process";

const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
const [module, name] = process.env._HANDLER.split(".");
const { [name]: handler } = await import(`file://${process.env.LAMBDA_TASK_ROOT}/${module}.mjs`);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

function request(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
    http.request({ hostname, port, method, path, agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => text += chunk);
      response.on("end", () => resolve({ headers: response.headers, text }));
    }).on("error", reject).end(body);
  });
}

const base = "/2018-06-01/runtime/invocation";
for (;;) {
  const { headers, text } = await request("GET", `${base}/next`);
  const result = await handler(JSON.parse(text));
  const id = headers["lambda-runtime-aws-request-id"];
  await request("POST", `${base}/${id}/response`, JSON.stringify(result));
}
