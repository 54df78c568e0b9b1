import { assert, assertEquals } from "@std/assert";
import { temporaryFolder } from "../../testdata/programs.ts";
import { resolveApplication } from "../application/resolve.ts";
import { parseManifest } from "../manifest/manifest.ts";
import { withF } from "../testdata/manifest.ts";
import { DEPLOYED, writeRootModule } from "./root_module.ts";

/** Writes the root module of a manifest, and reads the files that differ between applications. */
async function write(text: string, options: object = {}) {
  const folder = `${temporaryFolder()}/deploy/v0`;
  const application = resolveApplication(parseManifest(text, "app.json"), DEPLOYED);
  await writeRootModule(folder, { application, provider: "6.73.0", ...options });
  const read = async (name: string) => JSON.parse(await Deno.readTextFile(`${folder}/${name}`));
  const { locals } = await read("application.tf.json");
  return { folder, application: locals.application, root: await read("main.tf.json") };
}

Deno.test("writeRootModule() turns only placeholders into expressions of Terraform", async () => {
  const { application } = await write(withF({
    environment: { TABLE: "${region} $5 ${infra.table-name}", TEXT: '"%{ if }"' },
    statements: [{
      Effect: "Allow",
      Action: "s3:GetObject",
      Resource: "arn:aws:s3:::${account}/${aws:username}",
    }],
    triggers: {
      routes: [{ method: "GET", path: "/" }],
      schedules: [{ expression: "rate(1 hour)", input: { text: "${account} ${aws:x} %{y}" } }],
      events: [{
        pattern: {
          source: ["shop"],
          detail: { bucket: ["${infra.bucket}-${region}", "${x} %{y}"] },
        },
        bus: "${infra.bus}",
      }],
    },
  }, { settings: { domain: { name: "${infra.domain}", certificate: "${infra.certificate}" } } }));
  const { f } = application.functions;
  assertEquals(f.environment, {
    TABLE: "${local.region} $5 ${module.infra.table-name}",
    TEXT: '"%%{ if }"',
  });
  assertEquals(f.statements.at(-1).Resource, "arn:aws:s3:::${local.account}/$${aws:username}");
  assertEquals(f.role, "app-f-${local.region}");
  const [rule, event] = Object.values<{ input: string; pattern: unknown; bus: string }>(
    application.rules,
  );
  // Terraform makes what an expression names before the rule.
  assertEquals(event!.bus, "${module.infra.bus}");
  assertEquals(event!.pattern, {
    source: ["shop"],
    detail: { bucket: ["${module.infra.bucket}-${local.region}", "$${x} %%{y}"] },
  });
  assertEquals(application.settings.domain.name, "${module.infra.domain}");
  assertEquals(rule!.input, '{"text":"$${account} $${aws:x} %%{y}"}');
  assertEquals([rule!.pattern, application.scheduler, f.reservedConcurrency], [null, null, null]);
});

Deno.test("writeRootModule() gives placeholders of resources the names that uses gives", async () => {
  const { application } = await write(withF({
    environment: {
      QUEUE_URL: "${QUEUE_JOBS}",
      BUCKET: "${BUCKET_FILES}",
      SELF: "${function.f.arn}",
    },
    uses: { queues: { jobs: "send" }, buckets: { files: "read" } },
  }, { queues: { jobs: {} } }));
  const { environment, arn } = application.functions.f;
  assertEquals(environment, {
    QUEUE_URL: "${local.queues}/app-jobs",
    QUEUE_JOBS: "${local.queues}/app-jobs",
    BUCKET: "app-files-${local.account}-${local.region}",
    BUCKET_FILES: "app-files-${local.account}-${local.region}",
    SELF: arn,
  });
});

Deno.test("writeRootModule() makes no expression of another text of the manifest", async () => {
  // HCL reads `$${` as an escaped `${`, so a dollar sign before a placeholder becomes an expression.
  const file = 'file("/etc/passwd")';
  const { application } = await write(withF({
    description: `\uE000${file}\uE001 $\${${file}} %%{${file}}`,
    environment: { TEXT: `\uE000${file}\uE001`, PRICE: "5 $${account} %${region}" },
  }));
  const { f } = application.functions;
  assertEquals(f.description, `\uE000${file}\uE001 $$\${${file}} %%%{${file}}`);
  assertEquals(f.environment.TEXT, `\uE000${file}\uE001`);
  assertEquals(f.environment.PRICE, '5 ${"$"}${local.account} ${"%"}${local.region}');
});

Deno.test("writeRootModule() makes folders that only the user may read, because the state may hold secrets", async () => {
  const { folder } = await write(withF({}));
  for (const path of [folder, `${folder}/..`, `${folder}/module`]) {
    const { mode } = await Deno.stat(path);
    assertEquals(mode! & 0o777, 0o700, path);
  }
});

Deno.test("writeRootModule() binds a deployment to its account, once that is known", async () => {
  const table = [[{}, undefined, false], [{ account: "123456789012", deletesData: true }, [
    "123456789012",
  ], true]] as const;
  for (const [options, accounts, isBound] of table) {
    const { folder, root } = await write(withF({}), options);
    assertEquals(root.provider.aws.allowed_account_ids, accounts);
    // Before the first deployment, the log groups tell who has the name.
    const claim = root.data.aws_cloudwatch_log_groups?.claim.log_group_name_prefix;
    assertEquals([claim !== undefined, root.module.application.delete_data], [!isBound, isBound]);
    const claims = "${data.aws_cloudwatch_log_groups.claim.log_group_names}";
    assertEquals(root.output.place.value.claims, isBound ? [] : claims);
    assertEquals(root.terraform.required_providers.aws.version, "6.73.0");
    assertEquals(root.output.provider.value, "6.73.0");
    assertEquals(root.locals.queues.startsWith("https://sqs.${local.region}."), true);
    assertEquals(await Deno.readTextFile(`${folder}/.gitignore`), "*\n");
  }
});

Deno.test("writeRootModule() gives infra the inputs that it declares, and only then", async () => {
  const infra = (...variables: string[]) => ({
    infra: { variables: new Set(variables), outputs: new Set<string>() },
  });
  const inputs = async (options: object) => (await write(withF({}), options)).root.module.infra;
  const source = "../../../infra";
  assertEquals(await inputs({}), undefined);
  assertEquals(await inputs(infra()), { source });
  assertEquals(await inputs(infra("name", "stage", "region", "application", "other")), {
    source,
    name: "app",
    stage: "v0",
    region: "${local.region}",
    application: "${module.application.resources}",
  });
  // A resource of infra may forbid to be destroyed, so infra stays.
  assertEquals(await inputs({ ...infra("name", "application"), isDataOnly: true }), {
    source,
    name: "app",
    application: "${local.resources}",
  });
});

Deno.test("writeRootModule() keeps only what holds data if everything else is removed", async () => {
  const text = withF({
    uses: { buckets: { files: "read" } },
    triggers: {
      routes: [{ method: "GET", path: "/" }],
      buckets: [{ name: "files", events: ["s3:ObjectCreated:*"] }],
      schedules: ["rate(1 hour)"],
      topics: [{ name: "news" }],
    },
  }, { queues: { jobs: {} }, settings: { alarms: { topic: "${infra.pager}" } } });
  const { application } = await write(text, { isDataOnly: true });
  assertEquals(Object.keys(application.buckets), ["files"]);
  assertEquals(application.buckets.files.listeners, []);
  for (const kind of ["functions", "topics", "queues", "rules", "schedules", "alarms"]) {
    assertEquals(application[kind], {}, kind);
  }
  assertEquals([application.gateway, application.scheduler], [null, null]);
  assert(!JSON.stringify(application).includes("module.infra"));
});
