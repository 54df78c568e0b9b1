const REGION = "eu-west-1";
const ACCOUNT = "123456789012";
const BUCKET = `shop-uploads-${ACCOUNT}-${REGION}`;
const TOPIC = `arn:aws:sns:${REGION}:${ACCOUNT}:shop-messages`;
const CORS_FIELDS = {
  "gatewayresponse.header.Access-Control-Allow-Origin": "'https://shop.example'",
  "gatewayresponse.header.Access-Control-Allow-Credentials": "'true'",
  "gatewayresponse.header.Access-Control-Expose-Headers": "'X-Total'",
};
const QUEUE = `arn:aws:sqs:${REGION}:${ACCOUNT}:shop-jobs`;
const TABLE = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/shop-items`;
const INVOKE = `arn:aws:lambda:${REGION}:${ACCOUNT}:function`;

/** The statement that denies requests without TLS. */
const tls = (action: string, resource: string) =>
  `Deny ${action} on ${resource} for * if {"Bool":{"aws:SecureTransport":"false"}}`;

const trust = (service: string) => [`Allow sts:AssumeRole for ${service}.amazonaws.com`];

const functionRole = (name: string, ...statements: readonly string[]) => ({
  trust: trust("lambda"),
  statements: [
    ...statements,
    `Allow logs:CreateLogStream,logs:PutLogEvents on arn:aws:logs:${REGION}:${ACCOUNT}:log-group:/aws/lambda/${name}:*`,
    "Allow xray:PutTelemetryRecords,xray:PutTraceSegments on *",
    "Allow ec2:AssignPrivateIpAddresses,ec2:CreateNetworkInterface,ec2:DeleteNetworkInterface," +
    "ec2:DescribeNetworkInterfaces,ec2:DescribeSubnets,ec2:UnassignPrivateIpAddresses on *",
  ].sort(),
  attached: [],
});

const READ = `Allow s3:GetObject,s3:ListBucket on arn:aws:s3:::${BUCKET},arn:aws:s3:::${BUCKET}/*`;
const READ_WRITE =
  `Allow s3:AbortMultipartUpload,s3:DeleteObject,s3:GetObject,s3:ListBucket,s3:PutObject on arn:aws:s3:::${BUCKET},arn:aws:s3:::${BUCKET}/*`;

const aFunction = (name: string, settings: Record<string, unknown> = {}) => ({
  Handler: "index.handler",
  MemorySize: 128,
  Timeout: 3,
  Runtime: "provided.al2023",
  Architectures: ["x86_64"],
  Description: "",
  Role: `arn:aws:iam::${ACCOUNT}:role/${name}-${REGION}`,
  environment: {},
  tracing: "Active",
  tmp: 512,
  network: [1, 1],
  logs: "JSON",
  tags: { application: "shop", "managed-by": "terraform", stage: "v1", team: "web" },
  concurrency: undefined,
  url: undefined,
  layers: ["shop-deno-x86_64"],
  ...settings,
});

const aQueue = (name: string, settings: Record<string, unknown>) => ({
  visibility: "30",
  fifo: undefined,
  deduplicates: undefined,
  messageSize: "262144",
  retention: name.includes("dead-letters") ? "1209600" : "345600",
  encrypted: "true",
  deadLetters: undefined,
  policy: [tls("sqs:*", `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`)],
  ...settings,
});

const invokedBy = (service: string, source: string, account = {}) =>
  `Allow lambda:InvokeFunction for ${service}.amazonaws.com if ` +
  JSON.stringify({ ArnLike: { "AWS:SourceArn": source }, ...account });

const invokedByGateway = (path: string) =>
  invokedBy("apigateway", `arn:aws:execute-api:${REGION}:${ACCOUNT}:GATEWAY/${path}`);

/** The expected results of the methods of `Cloud`. */
export const EXPECTED = {
  functions: {
    "shop-orders": aFunction("shop-orders", {
      Handler: "index.main",
      Description: "Answers requests",
      MemorySize: 256,
      Timeout: 10,
      concurrency: 5,
      tmp: 1024,
      environment: {
        GREETING: "100 $ eu-west-1",
        API_TOKEN: "secret",
        TABLE: "shop-notes",
        BUCKET_UPLOADS: BUCKET,
        TOPIC_MESSAGES: TOPIC,
        QUEUE_JOBS: `ENDPOINT/${ACCOUNT}/shop-jobs`,
      },
      url: ["NONE", "RESPONSE_STREAM", {
        AllowCredentials: false,
        AllowHeaders: ["x-order"],
        AllowMethods: ["*"],
        AllowOrigins: ["https://shop.example"],
        MaxAge: 60,
      }],
      invokers: [
        ...["*/*/any/*", "*/GET/export", "*/GET/orders/*", "*/POST/orders"].map(invokedByGateway),
        "Allow lambda:InvokeFunction for *", // the emulator forgets the conditions of function URLs
        "Allow lambda:InvokeFunctionUrl for *",
      ].sort(),
    }),
    "shop-check": aFunction("shop-check", { invokers: [invokedByGateway("authorizers/*")] }),
    "shop-files": aFunction("shop-files", {
      environment: { BUCKET_UPLOADS: BUCKET, TABLE_ITEMS: "shop-items" },
      invokers: [
        invokedBy("s3", `arn:aws:s3:::${BUCKET}`, {
          StringEquals: { "AWS:SourceAccount": ACCOUNT },
        }),
      ],
    }),
    "shop-news": aFunction("shop-news", {
      invokers: [
        invokedBy("events", `arn:aws:events:${REGION}:${ACCOUNT}:rule/shop-news-7f81b6f8`),
        invokedBy("events", `arn:aws:events:${REGION}:${ACCOUNT}:rule/shop-news-3d7626f6`),
        invokedBy("sns", TOPIC),
      ].sort(),
    }),
  },
  gateways: {
    shop: {
      routes: [
        "ANY /any/{proxy+} NONE AWS_PROXY POST invocations of shop-orders",
        "GET /export NONE AWS_PROXY POST response-streaming-invocations of shop-orders",
        "GET /orders/{id} NONE AWS_PROXY POST invocations of shop-orders",
        "OPTIONS /export NONE MOCK  ",
        "OPTIONS /orders NONE MOCK  ",
        "OPTIONS /orders/{id} NONE MOCK  ",
        "POST /orders CUSTOM AWS_PROXY POST invocations of shop-orders",
      ],
      authorizers: [["check", "REQUEST", 300, "shop-check"]],
      binaryMediaTypes: ["*/*"],
      types: ["REGIONAL"],
      stages: [["v1", 50, 60, `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:/mate/shop`, true]],
      responses: {
        DEFAULT_4XX: CORS_FIELDS,
        DEFAULT_5XX: CORS_FIELDS,
      },
    },
  },
  logGroups: {
    "/aws/lambda/shop-check": 30,
    "/aws/lambda/shop-files": 30,
    "/aws/lambda/shop-news": 30,
    "/aws/lambda/shop-orders": 30,
    "/mate/shop": 30,
  },
  roles: {
    "shop-check-eu-west-1": functionRole(
      "shop-check",
      `Allow ssm:GetParameters on arn:aws:ssm:${REGION}:${ACCOUNT}:parameter/shop/v1/JWT_SECRET`,
    ),
    "shop-files-eu-west-1": functionRole(
      "shop-files",
      READ,
      "Allow dynamodb:BatchGetItem,dynamodb:BatchWriteItem,dynamodb:ConditionCheckItem,dynamodb:DeleteItem," +
        "dynamodb:GetItem,dynamodb:PutItem,dynamodb:Query,dynamodb:Scan,dynamodb:UpdateItem " +
        `on ${TABLE},${TABLE}/index/*`,
    ),
    "shop-news-eu-west-1": functionRole(
      "shop-news",
      `Allow sqs:DeleteMessage,sqs:GetQueueAttributes,sqs:ReceiveMessage on ${QUEUE}`,
      "Allow dynamodb:DescribeStream,dynamodb:GetRecords,dynamodb:GetShardIterator,dynamodb:ListStreams " +
        `on ${TABLE}/stream/*`,
      `Allow sqs:SendMessage on arn:aws:sqs:${REGION}:${ACCOUNT}:shop-news-items-dead-letters`,
    ),
    "shop-orders-eu-west-1": functionRole(
      "shop-orders",
      READ_WRITE,
      `Allow sns:Publish on ${TOPIC}`,
      `Allow sqs:GetQueueAttributes,sqs:GetQueueUrl,sqs:SendMessage on ${QUEUE}`,
      `Allow dynamodb:GetItem on arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/shop-notes ` +
        'if {"StringLike":{"dynamodb:LeadingKeys":"${aws:username}-*"}}',
    ),
    "shop-eu-west-1-scheduler": {
      trust: trust("scheduler"),
      statements: [`Allow lambda:InvokeFunction on ${INVOKE}:shop-files`],
      attached: [],
    },
  },
  rules: {
    "shop-news-7f81b6f8": ["rate(5 minutes)", "ENABLED", "shop-news"],
    "shop-news-3d7626f6": ['{"source":["shop.orders"]}', "ENABLED", "shop-news"],
  },
  schedules: {
    "shop-files-467cf39c": [
      "cron(0 3 * * ? *)",
      "Europe/Paris",
      "shop-files",
      "role/shop-eu-west-1-scheduler",
      '{"full":true}',
    ],
  },
  buckets: {
    [BUCKET]: {
      listeners: [
        "shop-files s3:ObjectCreated:* prefix=in/ suffix=.csv",
        "shop-files s3:ObjectRemoved:*",
      ],
      access: [true, true, true, true],
      encryption: ["AES256"],
      versioning: "Enabled",
      cors: [{
        AllowedHeaders: ["content-type"],
        AllowedMethods: ["PUT"],
        AllowedOrigins: ["https://shop.example"],
        ExposeHeaders: ["ETag"],
        MaxAgeSeconds: 60,
      }],
      policy: [tls("s3:*", `arn:aws:s3:::${BUCKET},arn:aws:s3:::${BUCKET}/*`)],
    },
  },
  domains: {
    "shop.example": {
      certificate: `arn:aws:acm:${REGION}:${ACCOUNT}:certificate`,
      security: "TLS_1_2",
      stages: [["(none)", "v1"]],
      records: ["A"],
    },
  },
  alarms: {
    ...Object.fromEntries(
      ["check", "files", "news", "orders"].flatMap((key) =>
        ["Errors", "Throttles"].map((metric) => [
          `shop-${key}-${metric.toLowerCase()}`,
          [`Sum of AWS/Lambda ${metric} > 0`, `FunctionName=shop-${key}`, "shop-pager"],
        ])
      ),
    ),
    ...Object.fromEntries(
      [
        "shop-jobs-dead-letters",
        "shop-steps-dead-letters.fifo",
        "shop-news-items-dead-letters",
      ].map((name) => [
        name,
        [
          "Maximum of AWS/SQS ApproximateNumberOfMessagesVisible > 0",
          `QueueName=${name}`,
          "shop-pager",
        ],
      ]),
    ),
    "shop-5xx": ["Sum of AWS/ApiGateway 5XXError > 0", "ApiName=shop,Stage=v1", "shop-pager"],
    "shop-slow": [
      "Average of AWS/ApiGateway Latency > 1000",
      "ApiName=shop,Stage=v1",
      "shop-pager",
    ],
  },
  topics: {
    "shop-pager": {
      subscribers: [],
      key: undefined,
      policy: [
        "Allow SNS:AddPermission,SNS:DeleteTopic,SNS:GetTopicAttributes,SNS:ListSubscriptionsByTopic," +
        "SNS:Publish,SNS:RemovePermission,SNS:SetTopicAttributes,SNS:Subscribe " +
        `on arn:aws:sns:${REGION}:${ACCOUNT}:shop-pager for * ` +
        `if {"StringEquals":{"AWS:SourceOwner":"${ACCOUNT}"}}`,
      ],
    },
    "shop-messages": {
      subscribers: ['lambda shop-news {"kind":["order"]}'],
      key: "alias/aws/sns",
      policy: [tls("sns:Publish", TOPIC)],
    },
  },
  queues: {
    "shop-jobs": aQueue("shop-jobs", {
      visibility: "60",
      deadLetters: ["shop-jobs-dead-letters", 3],
    }),
    "shop-jobs-dead-letters": aQueue("shop-jobs-dead-letters", {}),
    "shop-steps.fifo": aQueue("shop-steps.fifo", {
      fifo: "true",
      deduplicates: "true",
      deadLetters: ["shop-steps-dead-letters.fifo", 4],
    }),
    "shop-steps-dead-letters.fifo": aQueue("shop-steps-dead-letters.fifo", {
      fifo: "true",
      deduplicates: "true",
    }),
    "shop-news-items-dead-letters": aQueue("shop-news-items-dead-letters", {}),
  },
  tables: {
    "shop-items": {
      key: ["owner S", "id N"],
      billing: "PAY_PER_REQUEST",
      indexes: [["by-date", "owner S", "date S", "INCLUDE", "title"]],
      stream: "NEW_AND_OLD_IMAGES",
      expires: "expiresAt",
      recovery: "ENABLED",
      isProtected: true,
    },
    "shop-notes": { // of infra
      key: ["id S"],
      billing: "PAY_PER_REQUEST",
      indexes: [],
      stream: undefined,
      expires: undefined,
      recovery: "DISABLED",
      isProtected: false,
    },
  },
  mappings: [
    [
      "shop-items",
      "shop-news",
      10,
      1,
      ["ReportBatchItemFailures"],
      undefined,
      "LATEST",
      2,
      true,
      "shop-news-items-dead-letters",
      ['{"eventName":["INSERT"]}'],
    ],
    [
      "shop-jobs",
      "shop-news",
      20,
      1,
      ["ReportBatchItemFailures"],
      5,
      undefined,
      undefined,
      undefined,
      "",
      undefined,
    ],
  ],
};
