# Deno and the bootstrap, shared by all functions.
resource "aws_lambda_layer_version" "deno" {
  layer_name               = "${local.manifest.name}-deno-${var.architecture}"
  description              = "Deno and the bootstrap of a custom runtime"
  filename                 = "${local.bundles}/layer-${var.architecture}.zip"
  source_code_hash         = try(filebase64sha256("${local.bundles}/layer-${var.architecture}.zip"), null)
  compatible_architectures = [var.architecture]
  compatible_runtimes      = ["provided.al2023"]

  lifecycle {
    create_before_destroy = true # the functions use the old version until they have the new one
  }
}

resource "aws_lambda_function" "function" {
  for_each = local.functions

  function_name    = each.value.name
  description      = each.value.description
  role             = aws_iam_role.function[each.key].arn
  runtime          = "provided.al2023"
  architectures    = [var.architecture]
  handler          = each.value.handler
  layers           = [aws_lambda_layer_version.deno.arn]
  filename         = each.value.zip
  source_code_hash = try(filebase64sha256(each.value.zip), null)
  memory_size      = each.value.memory
  timeout          = each.value.timeout

  dynamic "environment" {
    for_each = length(each.value.environment) > 0 ? [each.value.environment] : []
    content {
      variables = environment.value
    }
  }

  # Always there: the provider takes a block that was removed for one that stays as it is.
  logging_config {
    log_format = var.log_format
  }

  # The role must be able to write, and the group to expire, from the first invocation on.
  depends_on = [aws_cloudwatch_log_group.function, aws_iam_role_policy.logs]
}

resource "aws_cloudwatch_log_group" "function" {
  for_each = local.functions

  name              = "/aws/lambda/${each.value.name}"
  retention_in_days = var.log_retention_days
}

# Roles know no regions, hence the region in their names.
resource "aws_iam_role" "function" {
  for_each = local.functions

  name               = "${each.value.name}-${var.region}"
  description        = "What the function ${each.value.name} may do"
  assume_role_policy = data.aws_iam_policy_document.assume.json

  lifecycle {
    precondition {
      condition     = length("${each.value.name}-${var.region}") <= 64
      error_message = "The application's and the function's name are too long together: \"${each.value.name}-${var.region}\" has more than 64 characters."
    }
  }
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

# A function may write to its own log group, and nothing else.
resource "aws_iam_role_policy" "logs" {
  for_each = local.functions

  name   = "logs"
  role   = aws_iam_role.function[each.key].name
  policy = data.aws_iam_policy_document.logs[each.key].json
}

data "aws_iam_policy_document" "logs" {
  for_each = local.functions

  statement {
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.function[each.key].arn}:*"]
  }
}
