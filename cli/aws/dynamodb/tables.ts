import { dirname } from "node:path";
import { arnIn, LOCAL } from "../../rules/arn.ts";
import { isObject } from "../../rules/json_object.ts";
import { type Access, readInput, type ServiceCall, ServiceError } from "../service_call.ts";
import { checkSupport } from "../supported.ts";
import { define, type Table } from "./definition.ts";
import type { Engine } from "./engine.ts";
import { LastingEngine, WRITES } from "./lasting_engine.ts";
import { findOwnNetwork, type OwnNetwork } from "./own_network.ts";
import { Expiry, StreamTrimmer } from "./removal.ts";
import { findEngine } from "../../programs/find_engine.ts";
import { Writes } from "./writes.ts";

/** The start of the ARNs that the engine makes, and of those on this machine. */
const ENGINE_ARN = "arn:aws:dynamodb:dynoxide:000000000000:";
const LOCAL_ARN = arnIn(LOCAL, "dynamodb", "");

const CONTENT_TYPE = "application/x-amz-json-1.0";

type Input = Readonly<Record<string, unknown>>;

/** The options of {@linkcode Tables.open}. */
export interface TablesOptions {
  /** The file that keeps the items. Without a file, the items are in memory. */
  readonly file?: string | undefined;
  /** Takes a line for the log. */
  readonly note?: (text: string) => void;
  /** Finds the program of the engine. */
  readonly find?: () => Promise<string>;
  /** The network of the engine; by default {@linkcode findOwnNetwork} finds it. */
  readonly network?: OwnNetwork;
  /** The functions whose connections nothing limits. If the engine is in their reach, it does not start. */
  readonly unlimited?: readonly string[];
  /** Tells whether functions see the folders of this machine, also that with the socket of the engine. */
  readonly seeFolders?: () => Promise<boolean>;
}

/** Amazon DynamoDB on this machine: the tables of an application, in an engine that only the platform reaches. */
export class Tables implements AsyncDisposable {
  /** Removes expired items; `undefined` if the application has no tables. */
  readonly expiry: Expiry | undefined;
  /** The trace headers of the last writes. */
  readonly writes: Writes;
  /** Removes what nobody reads any more from the streams of the tables. */
  readonly streams: StreamTrimmer;
  readonly #names: readonly string[];
  readonly #listeners = new Set<() => void>();

  private constructor(
    tables: readonly Table[],
    /** The engine; `undefined` if the application has no tables. */
    readonly engine?: LastingEngine,
    note: (text: string) => void = () => {},
    /** Why no engine runs. */
    readonly problem: string = "The application has no tables",
    file?: string,
  ) {
    this.#names = tables.map(({ name }) => name);
    this.writes = new Writes(tables);
    this.streams = new StreamTrimmer(this.#names, file);
    const expiring = tables.filter(({ expires }) => expires !== undefined);
    this.expiry = engine && new Expiry(engine, expiring, () => this.changed(), note);
  }

  /**
   * Starts the engine if the application has tables, and makes or changes the tables. If the program of the engine is missing,
   * or if a function could use the engine without a right, the log says so, and every call is refused.
   */
  static async open(
    tables: Readonly<Record<string, Table>>,
    options: TablesOptions = {},
  ): Promise<Tables> {
    const { file, note = () => {}, find = findEngine } = options;
    const all = Object.values(tables);
    if (all.length === 0) return new Tables(all);
    const network = options.network ?? await findOwnNetwork();
    if (file !== undefined) await Deno.mkdir(dirname(file), { recursive: true });
    let program;
    try {
      await checkReach(network, options);
      program = await find();
    } catch (error) {
      const { message } = error as Error;
      note(`ERROR ${message}`);
      return new Tables(all, undefined, note, message);
    }
    const prepare = async (engine: Engine) => {
      for (const [key, table] of Object.entries(tables)) await define(engine, key, table, file);
    };
    if (network.problem !== undefined) {
      note(
        "WARN Other programs of this machine can use the local tables, because their engine has no network of its own: " +
          network.problem,
      );
    }
    const engine = await LastingEngine.start({ file, program, network, prepare, note });
    return new Tables(all, engine, note, undefined, file);
  }

  /**
   * Parses a request to Amazon DynamoDB.
   *
   * @throws {ServiceError} If the request is malformed, or if it asks for something that this machine does not have.
   */
  parse(headers: Headers, body: string): ServiceCall {
    const operation = headers.get("x-amz-target")?.split(".").at(-1) ?? "";
    const input = readInput(body);
    checkSupport("dynamodb", operation, input);
    const uses = usesOf(operation, input);
    const traceHeader = headers.get("x-amzn-trace-id") ?? undefined;
    return {
      accesses: accessesOf(operation, uses),
      run: () =>
        operation === "ListTables"
          ? this.#list(input)
          : this.#run(operation, input, uses, traceHeader),
    };
  }

  async #run(
    operation: string,
    input: Input,
    uses: readonly Use[],
    traceHeader: string | undefined,
  ): Promise<Response> {
    const unknown = uses.filter(isNamed).map(({ table }) => nameOf(table))
      .find((name) => !this.#names.includes(name));
    if (this.engine === undefined && this.#names.length > 0) {
      throw new ServiceError("NotImplemented", this.problem, "NotImplemented", 501);
    }
    if (this.engine === undefined && !uses.some(isNamed)) {
      const message =
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null";
      throw new ServiceError("ValidationException", message);
    }
    if (unknown !== undefined || this.engine === undefined) {
      throw new ServiceError(
        "ResourceNotFoundException",
        `Requested resource not found: Table: ${unknown} not found`,
      );
    }
    // The checked input is sent, because the engine may read a repeated key in another way.
    const sent = JSON.stringify(input, withName);
    const isWrite = WRITES.test(operation);
    const takeBack = isWrite && this.writes.add(operation, JSON.parse(sent), traceHeader);
    const answer = await this.engine.send(operation, sent);
    if (takeBack && answer.status !== 200) takeBack();
    else if (isWrite) this.changed();
    const text = operation === "DescribeTable" && answer.status === 200
      ? descriptionOf(answer.body)
      : answer.body;
    const requestId = crypto.randomUUID();
    const headers = { "Content-Type": CONTENT_TYPE, "x-amzn-RequestId": requestId };
    return new Response(text, { status: answer.status, headers });
  }

  /**
   * Writes an item for the developer.
   *
   * @throws {TableError} If the engine refuses it.
   */
  async write(operation: string, input: Input, traceHeader: string): Promise<void> {
    this.writes.add(operation, input, traceHeader);
    await this.engine!.call(operation, input);
    this.changed();
  }

  #list({ ExclusiveStartTableName = "", Limit = 100 }: Input): Response {
    const start = String(ExclusiveStartTableName);
    const rest = this.#names.toSorted().filter((name) => name > start);
    const TableNames = rest.slice(0, Number(Limit));
    const isCut = TableNames.length < rest.length;
    return Response.json({
      TableNames,
      ...isCut && { LastEvaluatedTableName: TableNames.at(-1) },
    }, { headers: { "Content-Type": CONTENT_TYPE } });
  }

  /** Calls a function after each change of an item. */
  follow(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Says that items may have changed. */
  changed(): void {
    for (const listener of this.#listeners) listener();
    this.streams.changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.expiry?.[Symbol.dispose]();
    await this.engine?.[Symbol.asyncDispose]();
  }
}

/**
 * Checks that no function reaches the engine, which demands no secret.
 *
 * @throws {Error} If one does. The message says what would be right.
 */
async function checkReach(
  { problem }: OwnNetwork,
  { unlimited = [], seeFolders }: TablesOptions,
): Promise<void> {
  if (unlimited.length === 0) return;
  const way = problem !== undefined
    ? `has no network of its own (${problem})`
    : await seeFolders?.()
    ? "has a socket in a folder of this machine, and functions run in plain folders"
    : undefined;
  if (way === undefined) return;
  const names = unlimited.map((name) => `"${name}"`).join(", ");
  throw new Error(
    `Cannot run tables here beside functions for Node.js (${names}), because nothing limits their connections, and the engine ` +
      `of the tables ${way}: run these functions on Deno, or the platform on a Linux with namespaces`,
  );
}

/** The description of a table, with the ARNs of this machine, and without what only the engine has. */
function descriptionOf(body: string): string {
  const { Table } = JSON.parse(body.replaceAll(ENGINE_ARN, LOCAL_ARN));
  const { TableThroughputModeSummary: _, ...members } = Table;
  return JSON.stringify({ Table: members });
}

/** Puts the names of tables in place of their ARNs, because the engine knows only names. */
function withName(key: string, value: unknown): unknown {
  if (key === "TableName" && typeof value === "string") return nameOf(value);
  if (key === "TableName" && value === null) return undefined; // AWS takes both for the same
  if (key !== "RequestItems" || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([table, items]) => [nameOf(table), items]));
}

/** A table that a request names, with the action that IAM checks. */
interface Use {
  readonly action: string;
  readonly table: unknown;
  readonly index?: unknown;
}

/** The actions of the parts of a transaction. */
const PARTS: Readonly<Record<string, string>> = {
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
};

/** Tells whether a request names a table. Amazon DynamoDB says what is wrong with one that does not, before it checks rights. */
function isNamed({ table }: Use): boolean {
  return table !== undefined && table !== null && table !== "";
}

/** Lists the tables that a supported request works with. */
export function usesOf(operation: string, input: Input): readonly Use[] {
  const { TableName, IndexName, RequestItems, TransactItems } = input;
  if (operation.startsWith("Transact")) {
    return Object.values(Object(TransactItems)).flatMap((item) =>
      Object.entries(Object(item) as Record<string, unknown>).map(([part, one]) => ({
        action: PARTS[part]!,
        table: Object(one).TableName,
      }))
    );
  }
  if (operation.startsWith("Batch")) {
    return Object.keys(Object(RequestItems)).map((table) => ({ action: operation, table }));
  }
  return operation === "ListTables"
    ? []
    : [{ action: operation, table: TableName, index: IndexName }];
}

/** Returns the ARN of a table on this machine. */
export const tableArn = (name: string): string => arnIn(LOCAL, "dynamodb", `table/${name}`);

/**
 * Lists the accesses that a supported request needs.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
 */
export function accessesOf(operation: string, uses: readonly Use[]): readonly Access[] {
  if (operation === "ListTables") return [{ action: "dynamodb:ListTables", resource: "*" }];
  return uses.filter(isNamed).map(({ action, table, index }) => ({
    action: `dynamodb:${action}`,
    // The engine ignores an index that is null.
    resource: tableArn(nameOf(table)) +
      (index === undefined || index === null ? "" : `/index/${index}`),
  }));
}

/** The name of a table. A request may name a table by its ARN. */
function nameOf(table: unknown): string {
  const text = String(table ?? "");
  const start = tableArn("");
  return text.startsWith(start) ? text.slice(start.length) : text;
}
