import type { Table } from "../application/types.ts";
import type { Deployment } from "./deployment.ts";
import { MODULE } from "./root_module.ts";
import type { Plan, Resource } from "./summary.ts";

/** A table that a plan deletes or replaces. */
export interface LostTable extends Resource {
  /** Whether the plan makes the table again. */
  readonly isReplaced: boolean;
}

/** Lists the tables of the application that a plan deletes or replaces. Amazon DynamoDB protects them. */
export function lostTables({ resource_changes = [] }: Plan): LostTable[] {
  return resource_changes
    .filter(({ address, type, change }) =>
      type === "aws_dynamodb_table" && address.startsWith(`${MODULE}.`) &&
      change.actions.includes("delete")
    )
    .map(({ address, type, change }) => ({
      address,
      type,
      attributes: change.before!,
      isReplaced: change.actions.includes("create"),
    }));
}

/** Removes the protection of tables, and changes nothing else of them. */
export async function unprotect(
  { terraform, write, application }: Deployment,
  lost: readonly LostTable[],
  print: (line: string) => void,
): Promise<void> {
  const tables = Object.fromEntries(
    lost.map(({ address, attributes }) => [/\["(.+)"\]$/.exec(address)![1]!, tableOf(attributes)]),
  );
  await write({ application: { ...application, tables }, deletesData: true });
  const targets = lost.map(({ address }) => `-target=${address}`);
  await terraform.run(["apply", "-auto-approve", ...targets], print);
}

/** A table as Terraform has it in the state. */
interface StateOfTable {
  readonly name: string;
  readonly arn: string;
  readonly hash_key: string;
  readonly range_key?: string | null;
  readonly attribute: readonly { readonly name: string; readonly type: "S" | "N" | "B" }[];
  readonly global_secondary_index: readonly {
    readonly name: string;
    readonly hash_key: string;
    readonly range_key?: string | null;
    readonly projection_type: "ALL" | "KEYS_ONLY" | "INCLUDE";
    readonly non_key_attributes?: readonly string[] | null;
  }[];
  readonly ttl: readonly { readonly attribute_name: string; readonly enabled: boolean }[];
}

/** The table that the manifest had when it was deployed, without its listeners. */
function tableOf(attributes: Resource["attributes"]): Table {
  const state = attributes as unknown as StateOfTable;
  return {
    name: state.name,
    arn: state.arn,
    key: keyOf(state),
    attributes: Object.fromEntries(state.attribute.map(({ name, type }) => [name, type])),
    indexes: Object.fromEntries(
      state.global_secondary_index.map((index) => [index.name, {
        key: keyOf(index),
        projection: index.projection_type,
        included: index.non_key_attributes?.length ? index.non_key_attributes : undefined,
      }]),
    ),
    expires: state.ttl.find(({ enabled }) => enabled)?.attribute_name,
    listeners: [],
  };
}

function keyOf({ hash_key, range_key }: Pick<StateOfTable, "hash_key" | "range_key">): string[] {
  return range_key ? [hash_key, range_key] : [hash_key];
}
