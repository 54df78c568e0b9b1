# Reads the manifest and fills in the defaults, as cli/manifest does.

# The claim on the application's name: creating a log group that exists fails. All other names are made from this
# name, so Terraform creates nothing before the claim. The gateway writes its access log here.
resource "aws_cloudwatch_log_group" "application" {
  name              = "/mate/${local.manifest.name}"
  retention_in_days = var.log_retention_days
}

locals {
  manifest     = jsondecode(trimprefix(file(var.manifest), "\ufeff"))
  name         = trimprefix(aws_cloudwatch_log_group.application.name, "/mate/")
  architecture = try(local.manifest.architecture, "x86_64")
  tracing      = try(local.manifest.tracing, false)
  origin       = try(local.manifest.cors.origin, "*")

  functions = {
    for key, function in local.manifest.functions : key => {
      name        = "${local.name}-${key}"
      zip         = "${var.bundles}/${key}.zip"
      handler     = "index.${try(function.handler, "handler")}"
      description = try(function.description, "")
      memory      = try(function.memory, 128)
      timeout     = try(function.timeout, 3)
      concurrency = try(function.reservedConcurrency, -1)
      environment = try(function.environment, {})
      statements  = try(function.statements, [])
      uses        = { for kind in ["buckets", "topics", "queues"] : kind => try(function.uses[kind], {}) }
      url         = try(function.triggers.url, null)
    } if !var.data_only
  }

  # The triggers of each kind. The maps below give each trigger a key that does not depend on its position.
  triggers = {
    for kind in ["routes", "schedules", "events", "buckets", "topics", "queues"] : kind => flatten([
      for key, function in local.manifest.functions : [
        for trigger in try(function.triggers[kind], []) : { function = key, trigger = trigger }
      ] if !var.data_only
    ])
  }

  # { "ANY /okay" = { function, method, path, authorizer, stream } }
  routes = {
    for route in local.triggers.routes : "${route.trigger.method} ${route.trigger.path}" => {
      function   = route.function
      method     = route.trigger.method
      path       = route.trigger.path
      authorizer = try(route.trigger.authorizer, null)
      stream     = try(route.trigger.stream, false)
    }
  }

  # { "scheduler-b31c813d" = { function, expression, timezone, input } }
  schedules = {
    for schedule in local.triggers.schedules :
    "${schedule.function}-${substr(sha1(jsonencode(schedule.trigger)), 0, 8)}" => {
      function   = schedule.function
      expression = try(schedule.trigger.expression, schedule.trigger)
      timezone   = try(schedule.trigger.timezone, "UTC")
      input      = try(jsonencode(schedule.trigger.input), null)
    }
  }

  # { "orders-b31c813d" = { function, pattern, bus } }
  events = {
    for event in local.triggers.events :
    "${event.function}-${substr(sha1(jsonencode(event.trigger)), 0, 8)}" => {
      function = event.function
      pattern  = jsonencode(event.trigger.pattern)
      bus      = try(event.trigger.bus, "default")
    }
  }

  # These are the buckets of all functions, also with data_only, because the buckets stay.
  bucket_names = {
    for key in toset(flatten([
      for function in local.manifest.functions :
      concat([for bucket in try(function.triggers.buckets, []) : bucket.name], keys(try(function.uses.buckets, {})))
    ])) : key => "${local.name}-${key}-${local.account}-${local.region}" # unique across all accounts and regions
  }

  # { "storage uploads" = { function, bucket } }
  bucket_listeners = {
    for listener in local.triggers.buckets : "${listener.function} ${listener.trigger.name}" => {
      function = listener.function
      bucket   = listener.trigger.name
    }...
  }

  topics = toset(concat(
    [for subscription in local.triggers.topics : subscription.trigger.name],
    flatten([for function in local.functions : keys(function.uses.topics)]),
  ))

  # { "topic messages" = { function, topic, filter } }
  subscriptions = {
    for subscription in local.triggers.topics : "${subscription.function} ${subscription.trigger.name}" => {
      function = subscription.function
      topic    = subscription.trigger.name
      filter   = try(jsonencode(subscription.trigger.filter), null)
    }
  }

  queues = {
    for key, queue in try(local.manifest.queues, {}) : key => {
      suffix     = try(queue.fifo, false) ? ".fifo" : ""
      retries    = try(queue.retries, 3)
      visibility = try(queue.visibility, 30)
    } if !var.data_only
  }

  # { "worker jobs" = { function, queue, batch, window, concurrency } }
  consumers = {
    for consumer in local.triggers.queues : "${consumer.function} ${consumer.trigger.name}" => {
      function    = consumer.function
      queue       = consumer.trigger.name
      batch       = try(consumer.trigger.batch, 10)
      window      = try(consumer.trigger.window, 0)
      concurrency = try(consumer.trigger.concurrency, null)
    }
  }
}
