# A message that fails as often as the manifest allows goes to the queue's dead-letter queue.
resource "aws_sqs_queue" "queue" {
  for_each = local.queues

  name                        = local.queue_names[each.key].queue
  fifo_queue                  = each.value.suffix != ""
  content_based_deduplication = each.value.suffix != "" ? true : null
  visibility_timeout_seconds  = each.value.visibility
  sqs_managed_sse_enabled     = true
  policy                      = local.queue_policies[local.queue_names[each.key].queue]
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letters[each.key].arn
    maxReceiveCount     = each.value.retries + 1
  })
}

resource "aws_sqs_queue" "dead_letters" {
  for_each = local.queues

  name                      = local.queue_names[each.key].dead_letters
  fifo_queue                = each.value.suffix != ""
  message_retention_seconds = 14 * 24 * 60 * 60 # the longest
  sqs_managed_sse_enabled   = true
  policy                    = local.queue_policies[local.queue_names[each.key].dead_letters]
}

locals {
  queue_names = {
    for key, queue in local.queues : key => {
      queue        = "${local.name}-${key}${queue.suffix}"
      dead_letters = "${local.name}-${key}-dead-letters${queue.suffix}"
    }
  }

  # The policy is a part of the queue, because a separate resource takes half a minute more.
  queue_policies = {
    for name in flatten([for names in local.queue_names : values(names)]) : name => jsonencode({
      Version = "2012-10-17"
      Statement = [{
        Effect    = "Deny"
        Principal = "*"
        Action    = "sqs:*"
        Resource  = "arn:${local.partition}:sqs:${local.region}:${local.account}:${name}"
        Condition = { Bool = { "aws:SecureTransport" = "false" } }
      }]
    })
  }
}

resource "aws_lambda_event_source_mapping" "queue" {
  for_each = local.consumers

  event_source_arn                   = aws_sqs_queue.queue[each.value.queue].arn
  function_name                      = aws_lambda_function.function[each.value.function].arn
  batch_size                         = each.value.batch
  maximum_batching_window_in_seconds = each.value.window
  function_response_types            = ["ReportBatchItemFailures"]

  dynamic "scaling_config" {
    for_each = each.value.concurrency == null ? [] : [each.value.concurrency]
    content {
      maximum_concurrency = scaling_config.value
    }
  }
}
