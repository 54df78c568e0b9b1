terraform {
  required_version = ">= 1.10"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }

  # Where the state lives; deploy.sh replaces this when STATE_URL is set.
  backend "local" {
    path = "../.state/terraform.tfstate"
  }
}

provider "aws" {
  region              = var.region
  allowed_account_ids = var.account_id == null ? null : [var.account_id]
  s3_use_path_style   = var.s3_use_path_style

  default_tags {
    tags = {
      application = local.manifest.name
      managed-by  = "terraform"
    }
  }
}

# Read into the state, where the scripts look up whose deployment it is.
data "aws_caller_identity" "current" {}
data "aws_region" "current" {}
data "aws_partition" "current" {}
