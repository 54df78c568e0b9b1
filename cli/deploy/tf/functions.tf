locals {
  layer = "${var.bundles}/layer-${local.architecture}.zip"
}

# Deno and the bootstrap, shared by all functions.
resource "aws_lambda_layer_version" "deno" {
  count = var.data_only ? 0 : 1

  layer_name               = "${local.name}-deno-${local.architecture}"
  description              = "Deno and the bootstrap of the custom runtime"
  filename                 = local.layer
  source_code_hash         = try(filebase64sha256(local.layer), null)
  compatible_architectures = [local.architecture]
  compatible_runtimes      = ["provided.al2023"]

  lifecycle {
    create_before_destroy = true # the functions use the old version until they have the new one
  }
}

resource "aws_lambda_function" "function" {
  for_each = local.functions

  function_name                  = each.value.name
  description                    = each.value.description
  role                           = aws_iam_role.function[each.key].arn
  runtime                        = "provided.al2023"
  architectures                  = [local.architecture]
  handler                        = each.value.handler
  layers                         = aws_lambda_layer_version.deno[*].arn
  filename                       = each.value.zip
  source_code_hash               = try(filebase64sha256(each.value.zip), null)
  memory_size                    = each.value.memory
  timeout                        = each.value.timeout
  reserved_concurrent_executions = each.value.concurrency

  dynamic "environment" {
    for_each = length(local.environments[each.key]) > 0 ? [local.environments[each.key]] : []
    content {
      variables = environment.value
    }
  }

  # Always present, because the provider ignores the removal of these blocks.
  logging_config {
    log_format = var.log_format
  }

  tracing_config {
    mode = local.tracing ? "Active" : "PassThrough"
  }

  # So the function has its permissions, and its log expires, from the first invocation on.
  depends_on = [aws_cloudwatch_log_group.function, aws_iam_role_policy.function]

  lifecycle {
    precondition {
      condition     = length(local.unknown_outputs) == 0
      error_message = "The folder infra has no output for: ${join(", ", local.unknown_outputs)}."
    }
  }
}

resource "aws_cloudwatch_log_group" "function" {
  for_each = local.functions

  name              = "/aws/lambda/${each.value.name}"
  retention_in_days = var.log_retention_days
}

locals {
  # Texts of the manifest are split at placeholders. IAM's own variables, such as ${aws:username}, are not placeholders.
  placeholder = "\\$\\{(?:region|account|infra\\.[\\w-]+)\\}"
  split       = "${local.placeholder}|[^$]+|\\$"
  values = merge(
    { "$${region}" = local.region, "$${account}" = local.account },
    { for name, value in var.infra : "$${infra.${name}}" => value },
  )
  unknown_outputs = setsubtract(
    flatten([
      for key in keys(local.functions) :
      regexall(local.placeholder, jsonencode([local.functions[key].environment, local.functions[key].statements]))
    ]),
    keys(local.values),
  )

  environments = {
    for key, function in local.functions : key => merge(
      {
        for name, text in function.environment : name => join("", [
          for part in regexall(local.split, text) : lookup(local.values, part, part)
        ])
      },
      { for name in keys(function.uses.buckets) : "BUCKET_${upper(replace(name, "-", "_"))}" => aws_s3_bucket.bucket[name].id },
      { for name in keys(function.uses.topics) : "TOPIC_${upper(replace(name, "-", "_"))}" => aws_sns_topic.topic[name].arn },
      { for name in keys(function.uses.queues) : "QUEUE_${upper(replace(name, "-", "_"))}" => aws_sqs_queue.queue[name].url },
    )
  }
}

# The state and the function's settings hold the environment as plain text.
check "secrets" {
  assert {
    condition = length(local.suspects) == 0
    error_message = join(" ", [
      "These variables look like secrets: ${join(", ", local.suspects)}.",
      "Terraform's state and Lambda's settings hold them as plain text; AWS Secrets Manager would not.",
    ])
  }
}

locals {
  suspects = flatten([
    for key, function in local.functions : [
      for name in keys(function.environment) : "${key}.${name}"
      if can(regex("(?i)secret|passw(or)?d|token|credential|(api|private)_?key", name))
    ]
  ])
}
