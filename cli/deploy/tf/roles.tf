# One role for each function. IAM has no regions, so the name of the role says the region.
resource "aws_iam_role" "function" {
  for_each = local.functions

  name               = "${each.value.name}-${local.region}"
  description        = "The permissions of the function ${each.value.name}"
  assume_role_policy = data.aws_iam_policy_document.assume["lambda"].json

  lifecycle {
    precondition {
      condition     = length("${each.value.name}-${local.region}") <= 64
      error_message = "The names of the application and the function are too long together: the role \"${each.value.name}-${local.region}\" has more than 64 characters."
    }
  }
}

# Lambda runs the functions, API Gateway writes the access log, EventBridge Scheduler invokes functions.
data "aws_iam_policy_document" "assume" {
  for_each = toset(["lambda", "apigateway", "scheduler"])

  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["${each.key}.amazonaws.com"]
    }
  }
}

# A function may write its own log, and has the permissions of the manifest.
resource "aws_iam_role_policy" "function" {
  for_each = local.functions

  name = "function"
  role = aws_iam_role.function[each.key].name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat(
      [{
        Effect   = "Allow"
        Action   = ["logs:CreateLogStream", "logs:PutLogEvents"]
        Resource = ["${aws_cloudwatch_log_group.function[each.key].arn}:*"]
      }],
      local.tracing ? [{
        Effect   = "Allow"
        Action   = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
        Resource = ["*"] # AWS X-Ray has no resources
      }] : [],
      flatten([
        for name, use in each.value.uses.buckets : [
          for access in ["read", "write"] : {
            Effect   = "Allow"
            Action   = local.bucket_actions[access]
            Resource = [aws_s3_bucket.bucket[name].arn, "${aws_s3_bucket.bucket[name].arn}/*"]
          } if contains([access, "read-write"], use)
        ]
      ]),
      [
        for name in keys(each.value.uses.topics) :
        { Effect = "Allow", Action = ["sns:Publish"], Resource = [aws_sns_topic.topic[name].arn] }
      ],
      [
        for name in keys(each.value.uses.queues) :
        { Effect = "Allow", Action = ["sqs:SendMessage"], Resource = [aws_sqs_queue.queue[name].arn] }
      ],
      [
        for consumer in local.consumers : {
          Effect   = "Allow"
          Action   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
          Resource = [aws_sqs_queue.queue[consumer.queue].arn]
        } if consumer.function == each.key
      ],
      # Replaces the placeholders in the JSON text of the statements. So the statements keep their structure.
      jsondecode(join("", [
        for part in regexall(local.split, jsonencode(each.value.statements)) :
        contains(keys(local.values), part) ? trim(jsonencode(local.values[part]), "\"") : part
      ])),
    )
  })
}

locals {
  bucket_actions = {
    read  = ["s3:GetObject", "s3:ListBucket"]
    write = ["s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
  }
}
