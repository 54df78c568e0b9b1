# The manifest, with what it may leave out filled in as cli/manifest/manifest.ts does.

locals {
  manifest = jsondecode(file(coalesce(var.manifest, "${path.module}/../app.json")))
  bundles  = coalesce(var.bundles, "${path.module}/../.state/bundles")

  functions = {
    for key, function in local.manifest.functions : key => {
      name        = "${local.manifest.name}-${key}"
      zip         = "${local.bundles}/${key}.zip"
      handler     = "index.${try(function.handler, "handler")}"
      description = try(function.description, "")
      memory      = try(function.memory, 128)
      timeout     = try(function.timeout, 3)
      environment = try(function.environment, {})
      routes      = try(function.triggers.routes, [])
      schedule    = try(function.triggers.schedules[0].expression, function.triggers.schedules[0], null)
      bucket      = try(function.triggers.buckets[0], null)
      topic       = try(function.triggers.topics[0], null)
    }
  }

  # Every route by its method and path: { "ANY /okay" = { function, method, path, resource } }.
  routes = {
    for route in flatten([
      for key, function in local.functions : [
        for route in function.routes : {
          function = key
          method   = route.method
          path     = route.path
          resource = trimprefix(route.path, "/")
        }
      ]
    ]) : "${route.method} ${route.path}" => route
  }

  schedules = { for key, f in local.functions : key => f.schedule if f.schedule != null }
  listeners = { for key, f in local.functions : key => f.bucket if f.bucket != null }
  buckets   = toset([for bucket in local.listeners : bucket.name])

  subscribers = { for key, f in local.functions : key => f.topic.name if f.topic != null }
  topics      = toset(values(local.subscribers))
}

# This module does not deploy every key of a manifest, and says so before it makes anything.
check "manifest" {
  assert {
    condition = alltrue([
      for function in values(local.manifest.functions) : alltrue([
        for key, value in try(function.triggers, {}) :
        contains(["routes", "schedules", "buckets", "topics"], key) && (key == "routes" || length(value) <= 1)
      ]) && length(setintersection(keys(function), ["uses", "statements", "reservedConcurrency"])) == 0
    ])
    error_message = "The module deploys routes and one schedule, bucket and topic of a function; the rest of the manifest is left out."
  }
}
