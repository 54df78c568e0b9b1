locals {
  gateway = local.application.gateway[*] # a list of one gateway, or of none

  # What leads to the gateway: one of the two kinds.
  entrances = concat(
    [for stage in aws_api_gateway_stage.gateway : { id = stage.rest_api_id, stage = stage.stage_name, arn = stage.arn, url = stage.invoke_url }],
    [for stage in aws_apigatewayv2_stage.gateway : {
      id    = stage.api_id
      stage = stage.name
      arn   = stage.arn
      url   = aws_apigatewayv2_api.gateway[0].api_endpoint
    }],
  )
}

# If the kind of the gateway changes, the new one is made, then this changes, and then the old one goes: this depends on both, and
# both have create_before_destroy.
resource "terraform_data" "address" {
  count = length(local.gateway)

  input = local.entrances[0].url
}

# The domain leads to the stage, so its paths do not begin with the name of the stage. Both kinds of gateways take such a domain.
resource "aws_api_gateway_domain_name" "domain" {
  count = length(local.settings.domain[*])

  domain_name              = local.settings.domain.name
  regional_certificate_arn = local.settings.domain.certificate
  security_policy          = "TLS_1_2"

  endpoint_configuration {
    types = ["REGIONAL"]
  }
}

resource "aws_api_gateway_base_path_mapping" "domain" {
  count = length(local.rest_api) * length(local.settings.domain[*])

  domain_name = aws_api_gateway_domain_name.domain[0].domain_name
  base_path   = local.settings.domain.basePath
  api_id      = aws_api_gateway_rest_api.gateway[0].id
  stage_name  = aws_api_gateway_stage.gateway[0].stage_name
}

resource "aws_apigatewayv2_api_mapping" "domain" {
  count = length(local.http_api) * length(local.settings.domain[*])

  domain_name     = aws_api_gateway_domain_name.domain[0].domain_name
  api_mapping_key = local.settings.domain.basePath
  api_id          = aws_apigatewayv2_api.gateway[0].id
  stage           = aws_apigatewayv2_stage.gateway[0].name
}

resource "aws_route53_record" "domain" {
  for_each = toset(local.application.records)

  zone_id = local.settings.domain.zone
  name    = local.settings.domain.name
  type    = each.key

  alias {
    name                   = aws_api_gateway_domain_name.domain[0].regional_domain_name
    zone_id                = aws_api_gateway_domain_name.domain[0].regional_zone_id
    evaluate_target_health = false
  }
}
