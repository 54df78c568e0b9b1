variable "region" {
  description = "The region to deploy to."
  type        = string
}

variable "account_id" {
  description = "The only account to deploy to; null for whichever the credentials belong to."
  type        = string
  default     = null
}

variable "architecture" {
  description = "The processor of the functions; it must be that of the bundled layer."
  type        = string
  default     = "x86_64"

  validation {
    condition     = contains(["x86_64", "arm64"], var.architecture)
    error_message = "The architecture must be x86_64 or arm64."
  }
}

variable "manifest" {
  description = "The manifest of the application; null for ../app.json."
  type        = string
  default     = null
}

variable "bundles" {
  description = "The folder that `deno task bundle` wrote; null for ../.state/bundles."
  type        = string
  default     = null
}

variable "log_retention_days" {
  description = "How long the functions' logs are kept."
  type        = number
  default     = 14
}

variable "log_format" {
  description = "Text, for people, or JSON, for queries; the logger follows it."
  type        = string
  default     = "Text"

  validation {
    condition     = contains(["Text", "JSON"], var.log_format)
    error_message = "The log format must be Text or JSON."
  }
}

variable "throttle_rate" {
  description = "The requests a second that the gateway lets through, over all routes."
  type        = number
  default     = 10
}

variable "throttle_burst" {
  description = "How many requests may come at once above that rate."
  type        = number
  default     = 20
}

variable "s3_use_path_style" {
  description = "Whether buckets are addressed by path, as emulators of S3 need it."
  type        = bool
  default     = false
}
