# A message that fails as often as the manifest allows goes to the queue's dead-letter queue.
resource "aws_sqs_queue" "queue" {
  for_each = local.queues

  name                        = "${local.name}-${each.key}${each.value.suffix}"
  fifo_queue                  = each.value.suffix != ""
  content_based_deduplication = each.value.suffix != "" ? true : null
  visibility_timeout_seconds  = each.value.visibility
  sqs_managed_sse_enabled     = true
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letters[each.key].arn
    maxReceiveCount     = each.value.retries + 1
  })
}

resource "aws_sqs_queue" "dead_letters" {
  for_each = local.queues

  name                      = "${local.name}-${each.key}-dead-letters${each.value.suffix}"
  fifo_queue                = each.value.suffix != ""
  message_retention_seconds = 14 * 24 * 60 * 60 # the longest
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_policy" "tls" {
  for_each = merge(
    { for key, queue in aws_sqs_queue.queue : key => queue },
    { for key, queue in aws_sqs_queue.dead_letters : "${key} dead letters" => queue },
  )

  queue_url = each.value.url
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Deny"
      Principal = "*"
      Action    = "sqs:*"
      Resource  = each.value.arn
      Condition = { Bool = { "aws:SecureTransport" = "false" } }
    }]
  })
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
