# The domain leads to the stage, so its paths do not begin with the name of the stage.
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
  count = length(local.settings.domain[*])

  domain_name = aws_api_gateway_domain_name.domain[0].domain_name
  api_id      = aws_api_gateway_rest_api.gateway[0].id
  stage_name  = aws_api_gateway_stage.gateway[0].stage_name
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
