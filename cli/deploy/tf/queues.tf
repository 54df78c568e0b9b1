# A message that fails as often as the manifest allows goes to the queue's dead-letter queue. The policy is a part of the
# queue, because a separate resource takes half a minute more.
resource "aws_sqs_queue" "queue" {
  for_each = local.application.queues

  name                        = each.value.name
  fifo_queue                  = each.value.fifo
  content_based_deduplication = each.value.fifo
  visibility_timeout_seconds  = each.value.visibility
  max_message_size            = each.value.messageSize
  message_retention_seconds   = each.value.retention
  sqs_managed_sse_enabled     = true
  policy                      = jsonencode({ Version = "2012-10-17", Statement = each.value.policy })
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letters[each.key].arn
    maxReceiveCount     = each.value.maxReceiveCount
  })
}

resource "aws_sqs_queue" "dead_letters" {
  for_each = local.application.queues

  name                        = each.value.deadLetters.name
  fifo_queue                  = each.value.fifo
  content_based_deduplication = each.value.fifo
  max_message_size            = each.value.deadLetters.messageSize
  message_retention_seconds   = each.value.deadLetters.retention
  sqs_managed_sse_enabled     = true
  policy                      = jsonencode({ Version = "2012-10-17", Statement = each.value.deadLetters.policy })
}

resource "aws_lambda_event_source_mapping" "queue" {
  for_each = merge([
    for key, queue in local.application.queues : {
      for listener in queue.listeners : "${listener.function} ${key}" => merge(listener, { queue = key })
    }
  ]...)

  event_source_arn                   = aws_sqs_queue.queue[each.value.queue].arn
  function_name                      = aws_lambda_function.function[each.value.function].arn
  batch_size                         = each.value.batch
  maximum_batching_window_in_seconds = each.value.window
  function_response_types            = ["ReportBatchItemFailures"]

  dynamic "scaling_config" {
    for_each = each.value.concurrency[*]
    content {
      maximum_concurrency = scaling_config.value
    }
  }
}
