/** A manifest with every kind of trigger, use and setting. */
export const MANIFEST = {
  name: "shop",
  stage: "v1",
  tracing: true,
  cors: { origin: "https://shop.example" },
  functions: {
    orders: {
      module: "orders.ts",
      handler: "main",
      description: "Answers requests",
      memory: 256,
      timeout: 10,
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
    check: { module: "check.ts" },
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
      uses: { buckets: { uploads: "read" } },
    },
    news: {
      module: "news.ts",
      triggers: {
        topics: [{ name: "messages", filter: { kind: ["order"] } }],
        schedules: ["rate(5 minutes)"],
        events: [{ pattern: { source: ["shop.orders"] } }],
        queues: [{ name: "jobs", batch: 20, window: 1, concurrency: 5 }],
      },
    },
  },
  queues: { jobs: { retries: 2, visibility: 60 }, steps: { fifo: true } },
};

/** The file of the folder infra/: a table whose name the manifest uses. */
export const INFRA = `
resource "aws_dynamodb_table" "notes" {
  name         = "shop-notes"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "id"

  attribute {
    name = "id"
    type = "S"
  }
}

output "table_name" {
  value = aws_dynamodb_table.notes.name
}
`;
