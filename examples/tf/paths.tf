# The gateway wants a resource for every prefix of a path, and a resource cannot refer to others of
# its own block: hence one block a depth.

locals {
  max_depth = 6

  # The prefixes by depth: [["okay", "forbidden"], ["okay/{proxy+}"], …].
  prefixes = [
    for depth in range(1, local.max_depth + 1) : toset([
      for segments in [for route in local.routes : split("/", route.resource)] :
      join("/", slice(segments, 0, depth)) if length(segments) >= depth && segments[0] != ""
    ])
  ]

  resource_ids = merge(
    { "" = aws_api_gateway_rest_api.gateway.root_resource_id },
    { for path, resource in aws_api_gateway_resource.depth1 : path => resource.id },
    { for path, resource in aws_api_gateway_resource.depth2 : path => resource.id },
    { for path, resource in aws_api_gateway_resource.depth3 : path => resource.id },
    { for path, resource in aws_api_gateway_resource.depth4 : path => resource.id },
    { for path, resource in aws_api_gateway_resource.depth5 : path => resource.id },
    { for path, resource in aws_api_gateway_resource.depth6 : path => resource.id },
  )
}

resource "aws_api_gateway_resource" "depth1" {
  for_each = local.prefixes[0]

  rest_api_id = aws_api_gateway_rest_api.gateway.id
  parent_id   = aws_api_gateway_rest_api.gateway.root_resource_id
  path_part   = each.key

  lifecycle {
    precondition {
      condition     = alltrue([for route in local.routes : length(split("/", route.resource)) <= local.max_depth])
      error_message = "A route has more than ${local.max_depth} path elements: add a block to paths.tf."
    }
  }
}

resource "aws_api_gateway_resource" "depth2" {
  for_each = local.prefixes[1]

  rest_api_id = aws_api_gateway_rest_api.gateway.id
  parent_id   = aws_api_gateway_resource.depth1[dirname(each.key)].id
  path_part   = basename(each.key)
}

resource "aws_api_gateway_resource" "depth3" {
  for_each = local.prefixes[2]

  rest_api_id = aws_api_gateway_rest_api.gateway.id
  parent_id   = aws_api_gateway_resource.depth2[dirname(each.key)].id
  path_part   = basename(each.key)
}

resource "aws_api_gateway_resource" "depth4" {
  for_each = local.prefixes[3]

  rest_api_id = aws_api_gateway_rest_api.gateway.id
  parent_id   = aws_api_gateway_resource.depth3[dirname(each.key)].id
  path_part   = basename(each.key)
}

resource "aws_api_gateway_resource" "depth5" {
  for_each = local.prefixes[4]

  rest_api_id = aws_api_gateway_rest_api.gateway.id
  parent_id   = aws_api_gateway_resource.depth4[dirname(each.key)].id
  path_part   = basename(each.key)
}

resource "aws_api_gateway_resource" "depth6" {
  for_each = local.prefixes[5]

  rest_api_id = aws_api_gateway_rest_api.gateway.id
  parent_id   = aws_api_gateway_resource.depth5[dirname(each.key)].id
  path_part   = basename(each.key)
}
