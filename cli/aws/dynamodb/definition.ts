import type { Engine, EngineClient } from "./engine.ts";
import { TableError } from "./table_error.ts";

/** A global secondary index of a table. */
export interface GlobalIndex {
  /** The attributes of the key: the partition key, then the sort key. */
  readonly key: readonly string[];
  readonly projection: "ALL" | "KEYS_ONLY" | "INCLUDE";
  /** The attributes in the index besides the keys, if the projection is `INCLUDE`. */
  readonly included: readonly string[] | undefined;
}

/** A table as it should be. */
export interface Table {
  readonly name: string;
  /** The attributes of the key: the partition key, then the sort key. */
  readonly key: readonly string[];
  /** The types of the attributes of all keys. */
  readonly attributes: Readonly<Record<string, "S" | "N" | "B">>;
  readonly indexes: Readonly<Record<string, GlobalIndex>>;
  /** The attribute with the time at which an item expires. */
  readonly expires: string | undefined;
}

const VIEW = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" };

interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: "HASH" | "RANGE";
}

interface IndexDescription {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: { readonly ProjectionType: string; readonly NonKeyAttributes?: string[] };
}

/** The part of the output of `DescribeTable` that is read. */
interface TableDescription {
  readonly KeySchema: readonly KeyElement[];
  readonly AttributeDefinitions: readonly { AttributeName: string; AttributeType: string }[];
  readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
  readonly StreamSpecification?: { readonly StreamEnabled: boolean };
  readonly LatestStreamArn?: string;
}

/** Returns the description of a table; `undefined` if the engine does not have the table. */
export async function describe(
  engine: EngineClient,
  name: string,
): Promise<TableDescription | undefined> {
  try {
    const input = { TableName: name };
    return (await engine.call<{ Table: TableDescription }>("DescribeTable", input)).Table;
  } catch (error) {
    if (error instanceof TableError && error.type === "ResourceNotFoundException") return undefined;
    throw error;
  }
}

/**
 * Makes a table of the manifest, or changes it. Its items stay.
 *
 * @param key The key of the table in the manifest.
 * @param file The file with the data.
 * @throws {Error} If the key of the items has changed, because a table cannot change it.
 */
export async function define(
  engine: Engine,
  key: string,
  table: Table,
  file: string | undefined,
): Promise<void> {
  const { name: TableName, expires } = table;
  const old = await describe(engine, TableName);
  const AttributeDefinitions = definitionsOf(table);
  if (old === undefined) {
    const indexes = Object.entries(table.indexes).map(([name, index]) => indexOf(name, index));
    await engine.call("CreateTable", {
      TableName,
      KeySchema: schemaOf(table.key),
      AttributeDefinitions,
      BillingMode: "PAY_PER_REQUEST",
      StreamSpecification: VIEW, // The time to live needs the stream too.
      ...indexes.length > 0 && { GlobalSecondaryIndexes: indexes },
    });
  } else {
    const before = keyOf(old, old.KeySchema);
    const after = keyOf({ AttributeDefinitions }, schemaOf(table.key));
    if (before !== after) {
      throw new Error(
        `Cannot change the key of the table "${key}" from ${before} to ${after}, because its items have the old key: ` +
          `give the table another name, or delete the items of all tables with "${file}"`,
      );
    }
    await changeIndexes(engine, table, old);
  }
  await setExpiry(engine, TableName, expires);
}

/** Removes the indexes that the manifest does not have, and adds those that the engine does not have. */
async function changeIndexes(engine: Engine, table: Table, old: TableDescription): Promise<void> {
  const AttributeDefinitions = definitionsOf(table);
  const update = (change: object) =>
    engine.call("UpdateTable", {
      TableName: table.name,
      AttributeDefinitions,
      GlobalSecondaryIndexUpdates: [change],
    });
  const wanted = new Map(
    Object.entries(table.indexes).map(([name, index]) => {
      const description = indexOf(name, index);
      return [factsOf(description, { AttributeDefinitions }), description];
    }),
  );
  for (const index of old.GlobalSecondaryIndexes ?? []) {
    const isKept = wanted.delete(factsOf(index, old));
    if (!isKept) await update({ Delete: { IndexName: index.IndexName } });
  }
  for (const index of wanted.values()) await update({ Create: index });
}

/** Everything about an index that the manifest says, as text. */
function factsOf(
  { IndexName, KeySchema, Projection: { ProjectionType, NonKeyAttributes } }: IndexDescription,
  table: Pick<TableDescription, "AttributeDefinitions">,
): string {
  return JSON.stringify([IndexName, keyOf(table, KeySchema), ProjectionType, NonKeyAttributes]);
}

async function setExpiry(engine: Engine, TableName: string, expires?: string): Promise<void> {
  const { TimeToLiveDescription: old } = await engine.call<{
    TimeToLiveDescription: { AttributeName?: string; TimeToLiveStatus?: string };
  }>("DescribeTimeToLive", { TableName });
  const isOn = old.TimeToLiveStatus === "ENABLED";
  if ((isOn ? old.AttributeName : undefined) === expires) return;
  const set = (Enabled: boolean, AttributeName: string) =>
    engine.call("UpdateTimeToLive", {
      TableName,
      TimeToLiveSpecification: { Enabled, AttributeName },
    });
  if (isOn) await set(false, old.AttributeName!);
  if (expires !== undefined) await set(true, expires);
}

function indexOf(IndexName: string, { key, projection, included }: GlobalIndex): IndexDescription {
  return {
    IndexName,
    KeySchema: schemaOf(key),
    Projection: {
      ProjectionType: projection,
      ...included && { NonKeyAttributes: [...included] },
    },
  };
}

function schemaOf(key: readonly string[]): KeyElement[] {
  return key.map((AttributeName, index) => ({
    AttributeName,
    KeyType: index === 0 ? "HASH" : "RANGE",
  }));
}

function definitionsOf({ attributes }: Pick<Table, "attributes">) {
  return Object.entries(attributes).map(([AttributeName, AttributeType]) => ({
    AttributeName,
    AttributeType: AttributeType as string,
  }));
}

/** A key as text, such as `id (S)`. */
function keyOf(
  { AttributeDefinitions }: Pick<TableDescription, "AttributeDefinitions">,
  schema: readonly KeyElement[],
): string {
  return schema.map(({ AttributeName: name }) => {
    const found = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name);
    return `${name} (${found?.AttributeType})`;
  }).join(", ");
}
