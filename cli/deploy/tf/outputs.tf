output "base_url" {
  description = "The URL of the gateway's stage; null if the application has no route."
  value       = one(aws_api_gateway_stage.gateway[*].invoke_url)
}

output "requests" {
  description = "A request to try for each route."
  value = [
    for route in local.routes : join(" ", concat(
      ["curl"],
      contains(["ANY", "GET"], route.method) ? [] : route.method == "HEAD" ? ["-I"] : ["-X ${route.method}"],
      ["${aws_api_gateway_stage.gateway[0].invoke_url}${replace(replace(route.path, "/\\{\\w+\\+\\}/", "any/path"), "/[{}]/", "")}"],
    ))
  ]
}

output "functions" {
  description = "The names of the functions."
  value       = { for key, function in aws_lambda_function.function : key => function.function_name }
}

output "log_groups" {
  description = "The log groups of the functions."
  value       = { for key, group in aws_cloudwatch_log_group.function : key => group.name }
}

output "buckets" {
  description = "The names of the buckets."
  value       = { for key, bucket in aws_s3_bucket.bucket : key => bucket.id }
}

output "topics" {
  description = "The ARNs of the topics."
  value       = { for key, topic in aws_sns_topic.topic : key => topic.arn }
}

output "queues" {
  description = "The URLs of the queues."
  value       = { for key, queue in aws_sqs_queue.queue : key => queue.url }
}

output "urls" {
  description = "The function URLs."
  value       = { for key, url in aws_lambda_function_url.url : key => url.function_url }
}

output "account" {
  description = "The account of the application."
  value       = local.account
}

output "region" {
  description = "The region of the application."
  value       = local.region
}
