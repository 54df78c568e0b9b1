# A protected table is not deleted. Terraform removes the protection only if the data may be deleted.
resource "aws_dynamodb_table" "table" {
  for_each = local.application.tables

  name                        = each.value.name
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = each.value.key[0]
  range_key                   = length(each.value.key) > 1 ? each.value.key[1] : null
  deletion_protection_enabled = !var.delete_data
  stream_enabled              = length(each.value.listeners) > 0
  stream_view_type            = length(each.value.listeners) > 0 ? "NEW_AND_OLD_IMAGES" : null

  dynamic "attribute" {
    for_each = each.value.attributes
    content {
      name = attribute.key
      type = attribute.value
    }
  }

  dynamic "global_secondary_index" {
    for_each = each.value.indexes
    content {
      name               = global_secondary_index.key
      hash_key           = global_secondary_index.value.key[0]
      range_key          = length(global_secondary_index.value.key) > 1 ? global_secondary_index.value.key[1] : null
      projection_type    = global_secondary_index.value.projection
      non_key_attributes = global_secondary_index.value.included
    }
  }

  dynamic "ttl" {
    for_each = each.value.expires[*]
    content {
      attribute_name = ttl.value
      enabled        = true
    }
  }

  point_in_time_recovery {
    enabled = true
  }

  lifecycle {
    replace_triggered_by = [terraform_data.table_key[each.key]]
  }
}

# Amazon DynamoDB refuses another type of an attribute of the key, and the provider does not know this.
resource "terraform_data" "table_key" {
  for_each = local.application.tables

  triggers_replace = [for name in each.value.key : "${name} ${each.value.attributes[name]}"]
}

locals {
  table_listeners = merge([
    for key, table in local.application.tables : {
      for listener in table.listeners : "${listener.function} ${key}" => merge(listener, { table = key })
    }
  ]...)
}

# The place of a change that failed as often as the manifest allows goes to the dead-letter queue of the trigger.
resource "aws_sqs_queue" "table_dead_letters" {
  for_each = local.table_listeners

  name                      = each.value.deadLetters.name
  max_message_size          = each.value.deadLetters.messageSize
  message_retention_seconds = each.value.deadLetters.retention
  sqs_managed_sse_enabled   = true
  policy                    = jsonencode({ Version = "2012-10-17", Statement = each.value.deadLetters.policy })
}

resource "aws_lambda_event_source_mapping" "table" {
  for_each = local.table_listeners

  event_source_arn                   = aws_dynamodb_table.table[each.value.table].stream_arn
  function_name                      = aws_lambda_function.function[each.value.function].arn
  starting_position                  = "LATEST"
  batch_size                         = each.value.batch
  maximum_batching_window_in_seconds = each.value.window
  maximum_retry_attempts             = each.value.retries
  bisect_batch_on_function_error     = true
  function_response_types            = ["ReportBatchItemFailures"]

  destination_config {
    on_failure {
      destination_arn = aws_sqs_queue.table_dead_letters[each.key].arn
    }
  }

  dynamic "filter_criteria" {
    for_each = each.value.filter[*]
    content {
      filter {
        pattern = jsonencode(filter_criteria.value)
      }
    }
  }
}
