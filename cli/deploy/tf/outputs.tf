output "names" {
  description = "The URLs and the names for a reader."
  value = {
    base_url = one(concat(
      [for domain in local.settings.domain[*] : join("/", compact(["https://${domain.name}", domain.basePath])) if length(local.gateway) > 0],
      local.settings.domain == null ? terraform_data.address[*].output : [],
    ))
    functions  = { for key, function in aws_lambda_function.function : key => function.function_name }
    log_groups = { for key, group in aws_cloudwatch_log_group.function : key => group.name }
    urls       = { for key, url in aws_lambda_function_url.url : key => url.function_url }
    buckets    = { for key, bucket in aws_s3_bucket.bucket : key => bucket.id }
    topics     = { for key, topic in aws_sns_topic.topic : key => topic.arn }
    queues     = { for key, queue in aws_sqs_queue.queue : key => queue.url }
    tables     = { for key, table in aws_dynamodb_table.table : key => table.name }
  }
}

output "resources" {
  description = "The names and the ARNs for the folder infra."
  value = {
    functions = { for key, function in aws_lambda_function.function : key => { name = function.function_name, arn = function.arn } }
    buckets   = { for key, bucket in aws_s3_bucket.bucket : key => { name = bucket.id, arn = bucket.arn } }
    topics    = { for key, topic in aws_sns_topic.topic : key => { name = topic.name, arn = topic.arn } }
    queues = {
      for key, queue in aws_sqs_queue.queue : key => {
        name         = queue.name
        arn          = queue.arn
        dead_letters = { name = aws_sqs_queue.dead_letters[key].name, arn = aws_sqs_queue.dead_letters[key].arn }
      }
    }
    tables  = { for key, table in aws_dynamodb_table.table : key => { name = table.name, arn = table.arn } }
    gateway = one(local.entrances)
  }
}
