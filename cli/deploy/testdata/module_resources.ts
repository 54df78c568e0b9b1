import {
  addGateway,
  gatewayIdentities,
  invokeArn,
  mapped,
  mayInvoke,
  type Values,
} from "./gateway_resources.ts";
import type { Application, PlainQueue, Role } from "../../application/types.ts";

export type { Values };

const streamArn = (arn: string) => `${arn}/stream/1`;
const LAYER = "arn:aws:lambda:eu-west-1:123456789012:layer:deno:1";
const roleArn = ({ role }: Role) => `arn:aws:iam::123456789012:role/${role}`;

/** Returns what AWS would know of the resources: their ARNs, and the identifiers that other resources name. */
export function identities(
  { functions, queues, topics, buckets, tables, rules, scheduler, ...app }: Application,
) {
  const at = (type: string) => (key: string) => `aws_${type}["${key}"]`;
  return {
    ...mapped(
      functions,
      at("lambda_function.function"),
      ({ arn }) => ({ arn, invoke_arn: invokeArn(arn) }),
    ),
    ...mapped(functions, at("iam_role.function"), (one) => ({ arn: roleArn(one) })),
    ...mapped(queues, at("sqs_queue.queue"), ({ arn }) => ({ arn })),
    ...mapped(queues, at("sqs_queue.dead_letters"), ({ deadLetters: { arn } }) => ({ arn })),
    ...Object.assign(
      {},
      ...Object.entries(tables).map(([key, { listeners }]) =>
        Object.fromEntries(
          listeners.map((
            { function: name, deadLetters: { arn } },
          ) => [at("sqs_queue.table_dead_letters")(`${name} ${key}`), { arn }]),
        )
      ),
    ),
    ...mapped(topics, at("sns_topic.topic"), ({ arn }) => ({ arn })),
    ...mapped(buckets, at("s3_bucket.bucket"), ({ name, arn }) => ({ id: name, arn })),
    ...mapped(
      tables,
      at("dynamodb_table.table"),
      ({ arn }) => ({ arn, stream_arn: streamArn(arn) }),
    ),
    ...mapped(
      rules,
      at("cloudwatch_event_rule.rule"),
      (_, key) => ({ arn: `arn:aws:events:eu-west-1:${app.account}:rule/${key}` }),
    ),
    "aws_iam_role.scheduler[0]": { arn: roleArn(scheduler!) },
    ...gatewayIdentities(app.gateway!),
    "aws_lambda_layer_version.deno[0]": { arn: LAYER },
  };
}

const policy = (statements: readonly unknown[]) => ({
  Version: "2012-10-17",
  Statement: statements,
});

/** The policy that lets a service assume a role. */
const trust = (service: string) =>
  policy([
    {
      Effect: "Allow",
      Principal: { Service: `${service}.amazonaws.com` },
      Action: "sts:AssumeRole",
    },
  ]);

const plainQueue = ({ name, messageSize, retention, policy: statements }: PlainQueue) => ({
  name,
  max_message_size: messageSize,
  message_retention_seconds: retention,
  sqs_managed_sse_enabled: true,
  policy: policy(statements),
});

/** Returns the resources of an application by their addresses: what their arguments are by the documentation of the provider hashicorp/aws. */
export function resourcesOf(app: Application): Readonly<Record<string, Values>> {
  const { settings, functions, tracing } = app;
  const resources: Record<string, Values> = {};
  const add = (type: string, key: string | number, values: Values) =>
    resources[`aws_${type}[${JSON.stringify(key)}]`] = values;

  add("lambda_layer_version.deno", 0, {
    layer_name: app.layer,
    filename: `bundles/layer-${app.architecture}.zip`,
    compatible_architectures: [app.architecture],
    compatible_runtimes: ["provided.al2023"],
  });
  for (const [key, one] of Object.entries(functions)) {
    add("lambda_function.function", key, {
      function_name: one.name,
      description: one.description,
      role: roleArn(one),
      runtime: one.runtime === "deno" ? "provided.al2023" : one.runtime,
      architectures: [app.architecture],
      handler: one.handler,
      layers: one.runtime === "deno" ? [LAYER] : [],
      filename: `bundles/${key}.zip`,
      memory_size: one.memory,
      timeout: one.timeout,
      reserved_concurrent_executions: one.reservedConcurrency ?? null,
      environment: Object.keys(one.environment).length > 0
        ? [{ variables: { ...one.environment } }]
        : [],
      ephemeral_storage: [{ size: one.ephemeralStorage }],
      vpc_config: [{
        subnet_ids: settings.vpc!.subnets,
        security_group_ids: settings.vpc!.securityGroups,
      }],
      logging_config: [{ log_format: settings.logs.format }],
      tracing_config: [{ mode: tracing ? "Active" : "PassThrough" }],
    });
    add("cloudwatch_log_group.function", key, {
      name: one.logGroup,
      retention_in_days: settings.logs.days,
    });
    add("iam_role.function", key, { name: one.role, assume_role_policy: trust("lambda") });
    add("iam_role_policy.function", key, { role: one.role, policy: policy(one.statements) });
    if (!one.url) continue;
    const { auth, stream, cors, stack } = one.url;
    add("lambda_function_url.url", key, {
      function_name: one.name,
      authorization_type: auth === "iam" ? "AWS_IAM" : "NONE",
      invoke_mode: stream ? "RESPONSE_STREAM" : "BUFFERED",
      cors: [cors].flatMap((cors) =>
        cors
          ? [{
            allow_origins: cors.origins,
            allow_methods: cors.methods,
            allow_headers: cors.headers,
            expose_headers: cors.exposeHeaders,
            allow_credentials: cors.credentials,
            max_age: cors.maxAge,
          }]
          : []
      ),
    });
    if (auth === "iam") continue;
    add("lambda_permission.url", key, {
      function_name: one.name,
      action: "lambda:InvokeFunctionUrl",
      principal: "*",
      function_url_auth_type: "NONE",
    });
    add("cloudformation_stack.url", key, {
      name: stack,
      template_body: {
        Resources: {
          Permission: {
            Type: "AWS::Lambda::Permission",
            Properties: {
              Action: "lambda:InvokeFunction",
              FunctionName: one.arn,
              InvokedViaFunctionUrl: true,
              Principal: "*",
            },
          },
        },
      },
    });
  }

  addGateway(app, add);

  for (const [key, one] of Object.entries(app.alarms)) {
    add("cloudwatch_metric_alarm.alarm", key, {
      alarm_name: key,
      alarm_description: one.description,
      namespace: one.namespace,
      metric_name: one.metric,
      dimensions: { ...one.dimensions, ...("ApiId" in one.dimensions && { ApiId: "gateway" }) },
      statistic: one.statistic,
      period: 300,
      evaluation_periods: 1,
      threshold: 0,
      comparison_operator: "GreaterThanThreshold",
      treat_missing_data: "notBreaching",
      alarm_actions: [settings.alarms!.topic],
    });
  }
  for (const [key, one] of Object.entries(app.buckets)) {
    add("s3_bucket.bucket", key, { bucket: one.name, force_destroy: false });
    add("s3_bucket_public_access_block.bucket", key, {
      bucket: one.name,
      block_public_acls: true,
      block_public_policy: true,
      ignore_public_acls: true,
      restrict_public_buckets: true,
    });
    add("s3_bucket_server_side_encryption_configuration.bucket", key, {
      bucket: one.name,
      rule: [{ apply_server_side_encryption_by_default: [{ sse_algorithm: "AES256" }] }],
    });
    add("s3_bucket_versioning.bucket", key, {
      bucket: one.name,
      versioning_configuration: [{ status: "Enabled" }],
    });
    add("s3_bucket_policy.tls", key, { bucket: one.name, policy: policy(one.policy) });
    if (one.cors) {
      add("s3_bucket_cors_configuration.bucket", key, {
        bucket: one.name,
        cors_rule: [{
          allowed_origins: one.cors.origins,
          allowed_methods: one.cors.methods,
          allowed_headers: one.cors.headers,
          expose_headers: one.cors.exposeHeaders,
          max_age_seconds: one.cors.maxAge,
        }],
      });
    }
    if (one.listeners.length === 0) continue;
    add("s3_bucket_notification.bucket", key, {
      bucket: one.name,
      lambda_function: one.listeners.map(({ id, function: name, events, prefix, suffix }) => ({
        id,
        lambda_function_arn: functions[name]!.arn,
        events,
        filter_prefix: prefix,
        filter_suffix: suffix,
      })),
    });
    for (const { function: name } of one.listeners) {
      add("lambda_permission.bucket", `${name} ${key}`, {
        ...mayInvoke(functions[name]!.name, "s3", one.arn),
        source_account: app.account,
      });
    }
  }
  for (const [key, one] of Object.entries(app.topics)) {
    add("sns_topic.topic", key, { name: one.name, kms_master_key_id: "alias/aws/sns" });
    add("sns_topic_policy.tls", key, { arn: one.arn, policy: policy(one.policy) });
    for (const { function: name, filter, scope } of one.listeners) {
      add("sns_topic_subscription.topic", `${name} ${key}`, {
        topic_arn: one.arn,
        protocol: "lambda",
        endpoint: functions[name]!.arn,
        filter_policy: filter ? { ...filter } : null,
        ...filter && { filter_policy_scope: scope },
      });
      add(
        "lambda_permission.topic",
        `${name} ${key}`,
        mayInvoke(functions[name]!.name, "sns", one.arn),
      );
    }
  }
  for (const [key, one] of Object.entries(app.queues)) {
    const fifo = { fifo_queue: one.fifo, content_based_deduplication: one.fifo };
    add("sqs_queue.queue", key, {
      ...plainQueue(one),
      ...fifo,
      visibility_timeout_seconds: one.visibility,
      redrive_policy: {
        deadLetterTargetArn: one.deadLetters.arn,
        maxReceiveCount: one.maxReceiveCount,
      },
    });
    add("sqs_queue.dead_letters", key, { ...plainQueue(one.deadLetters), ...fifo });
    for (const { function: name, batch, window, concurrency } of one.listeners) {
      add("lambda_event_source_mapping.queue", `${name} ${key}`, {
        event_source_arn: one.arn,
        function_name: functions[name]!.arn,
        batch_size: batch,
        maximum_batching_window_in_seconds: window,
        function_response_types: ["ReportBatchItemFailures"],
        scaling_config: concurrency ? [{ maximum_concurrency: concurrency }] : [],
      });
    }
  }
  for (const [key, one] of Object.entries(app.tables)) {
    add("dynamodb_table.table", key, {
      name: one.name,
      billing_mode: "PAY_PER_REQUEST",
      hash_key: one.key[0],
      range_key: one.key[1] ?? null,
      deletion_protection_enabled: true,
      stream_enabled: one.listeners.length > 0,
      attribute: Object.entries(one.attributes).sort().map(([name, type]) => ({ name, type })),
      global_secondary_index: Object.entries(one.indexes).map((
        [name, { key, projection, included }],
      ) => ({
        name,
        hash_key: key[0],
        range_key: key[1] ?? null,
        projection_type: projection,
        non_key_attributes: included ?? null,
      })),
      ttl: one.expires ? [{ attribute_name: one.expires, enabled: true }] : [],
      point_in_time_recovery: [{ enabled: true }],
    });
    for (const listener of one.listeners) {
      const id = `${listener.function} ${key}`;
      add("sqs_queue.table_dead_letters", id, plainQueue(listener.deadLetters));
      add("lambda_event_source_mapping.table", id, {
        event_source_arn: streamArn(one.arn),
        function_name: functions[listener.function]!.arn,
        starting_position: "LATEST",
        batch_size: listener.batch,
        maximum_batching_window_in_seconds: listener.window,
        maximum_retry_attempts: listener.retries,
        bisect_batch_on_function_error: true,
        function_response_types: ["ReportBatchItemFailures"],
        destination_config: [{ on_failure: [{ destination_arn: listener.deadLetters.arn }] }],
        filter_criteria: listener.filter ? [{ filter: [{ pattern: { ...listener.filter } }] }] : [],
      });
    }
  }
  for (const [key, one] of Object.entries(app.rules)) {
    const { name, arn } = functions[one.function]!;
    add("cloudwatch_event_rule.rule", key, {
      name: key,
      schedule_expression: one.expression ?? null,
      event_pattern: one.pattern ? { ...one.pattern } : null,
      event_bus_name: one.bus,
    });
    add("cloudwatch_event_target.rule", key, {
      rule: key,
      event_bus_name: one.bus,
      arn,
      input: one.input ?? null,
    });
    add(
      "lambda_permission.rule",
      key,
      mayInvoke(name, "events", `arn:aws:events:eu-west-1:${app.account}:rule/${key}`),
    );
  }
  for (const [key, one] of Object.entries(app.schedules)) {
    add("scheduler_schedule.schedule", key, {
      name: key,
      schedule_expression: one.expression,
      schedule_expression_timezone: one.timezone,
      flexible_time_window: [{ mode: "OFF" }],
      target: [{
        arn: functions[one.function]!.arn,
        role_arn: roleArn(app.scheduler!),
        input: one.input ?? null,
      }],
    });
  }
  add("iam_role.scheduler", 0, {
    name: app.scheduler!.role,
    assume_role_policy: trust("scheduler"),
  });
  add("iam_role_policy.scheduler", 0, {
    role: app.scheduler!.role,
    policy: policy(app.scheduler!.statements),
  });
  return resources;
}
