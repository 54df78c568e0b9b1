/** A manifest with every kind of trigger, use and setting. */
export const MANIFEST = {
  name: "shop",
  stage: "v1",
  tracing: true,
  cors: {
    origins: ["https://shop.example"],
    methods: ["GET", "POST"],
    headers: ["Content-Type"],
    exposeHeaders: ["X-Total"],
    credentials: true,
    maxAge: 60,
  },
  functions: {
    orders: {
      module: "orders.ts",
      handler: "main",
      description: "Answers requests",
      memory: 256,
      timeout: 10,
      ephemeralStorage: 1024,
      reservedConcurrency: 5,
      environment: {
        GREETING: "100 $ ${region}",
        API_TOKEN: "secret",
        TABLE: "${infra.table_name}",
      },
      permissions: { net: ["api.example.com:443", "dynamodb.${region}.amazonaws.com:443"] },
      triggers: {
        routes: [
          { method: "POST", path: "/orders", authorizer: "check" },
          { method: "GET", path: "/orders/{id}" },
          { method: "ANY", path: "/any/{proxy+}" },
          { method: "GET", path: "/export", stream: true },
        ],
        url: {
          auth: "none",
          stream: true,
          cors: { origins: ["https://shop.example"], headers: ["x-order"], maxAge: 60 },
        },
      },
      uses: {
        buckets: { uploads: "read-write" },
        topics: { messages: "publish" },
        queues: { jobs: "send" },
      },
      statements: [
        {
          Sid: "Notes",
          Effect: "Allow",
          Action: "dynamodb:GetItem",
          Resource: "arn:aws:dynamodb:${region}:${account}:table/${infra.table_name}",
          Condition: { StringLike: { "dynamodb:LeadingKeys": "${aws:username}-*" } },
        },
      ],
    },
    check: {
      module: "check.ts",
      ttl: 300,
      identity: ["header.Authorization", "context.path"],
      secrets: ["JWT_SECRET"],
    },
    files: {
      module: "files.ts",
      triggers: {
        buckets: [
          { name: "uploads", events: ["s3:ObjectCreated:*"], prefix: "in/", suffix: ".csv" },
          { name: "uploads", events: ["s3:ObjectRemoved:*"] },
        ],
        schedules: [
          {
            expression: "cron(0 3 * * ? *)",
            timezone: "Europe/Paris",
            input: { full: true },
          },
        ],
      },
      uses: { buckets: { uploads: "read" }, tables: { items: "read-write" } },
    },
    news: {
      module: "news.ts",
      triggers: {
        topics: [{ name: "messages", filter: { kind: ["order"] } }],
        schedules: ["rate(5 minutes)"],
        events: [{ pattern: { source: ["shop.orders"] } }],
        queues: [{ name: "jobs", batch: 20, window: 1, concurrency: 5 }],
        tables: [
          { name: "items", batch: 10, window: 1, retries: 2, filter: { eventName: ["INSERT"] } },
        ],
      },
    },
  },
  queues: { jobs: { retries: 2, visibility: 60 }, steps: { fifo: true } },
  buckets: {
    uploads: {
      cors: {
        origins: ["https://shop.example"],
        methods: ["PUT"],
        headers: ["content-type"],
        exposeHeaders: ["ETag"],
        maxAge: 60,
      },
    },
  },
  tables: {
    items: {
      key: { owner: "string", id: "number" },
      indexes: { "by-date": { key: { owner: "string", date: "string" }, projection: ["title"] } },
      expires: "expiresAt",
    },
  },
  settings: {
    logs: { days: 30, format: "JSON", requests: true },
    throttle: { rate: 50, burst: 60 },
    tags: { team: "web" },
    domain: {
      name: "shop.example",
      certificate: "${infra.certificate_arn}",
      zone: "${infra.zone_id}",
    },
    vpc: { subnets: ["${infra.subnet}"], securityGroups: ["${infra.group}"] },
    alarms: { topic: "${infra.pager_arn}" },
  },
  stages: {
    prod: {
      functions: { orders: { memory: 512 } },
      settings: { logs: { days: 365 }, domain: { name: "prod.shop.example" } },
    },
  },
};

/** The file of the folder infra/: what the settings and a statement of the manifest use, and an alarm of its own. */
export const INFRA = `
variable "name" {}
variable "stage" {}
variable "region" {}
variable "application" {}

resource "aws_dynamodb_table" "notes" {
  name         = "\${var.name}-notes"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"

  attribute {
    name = "id"
    type = "S"
  }
}

resource "aws_acm_certificate" "certificate" {
  domain_name       = "*.\${var.name}.example"
  validation_method = "DNS"
}

resource "aws_route53_zone" "zone" {
  name = "shop.example"
}

resource "aws_vpc" "network" {
  cidr_block = "10.0.0.0/16"
}

resource "aws_subnet" "subnet" {
  vpc_id            = aws_vpc.network.id
  cidr_block        = "10.0.1.0/24"
  availability_zone = "\${var.region}a"
}

resource "aws_security_group" "group" {
  name   = var.name
  vpc_id = aws_vpc.network.id
}

resource "aws_sns_topic" "pager" {
  name = "\${var.name}-pager"
  tags = { purpose = "pages of \${var.stage}" }
}

resource "aws_cloudwatch_metric_alarm" "slow" {
  alarm_name          = "\${var.name}-slow"
  namespace           = "AWS/ApiGateway"
  metric_name         = "Latency"
  dimensions          = { ApiName = var.name, Stage = var.application.gateway.stage }
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanThreshold"
  alarm_actions       = [aws_sns_topic.pager.arn]
}

output "table_name" {
  value = aws_dynamodb_table.notes.name
}

output "certificate_arn" {
  value = aws_acm_certificate.certificate.arn
}

output "zone_id" {
  value = aws_route53_zone.zone.zone_id
}

output "subnet" {
  value = aws_subnet.subnet.id
}

output "group" {
  value = aws_security_group.group.id
}

output "pager_arn" {
  value = aws_sns_topic.pager.arn
}
`;
