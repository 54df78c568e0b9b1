import type { Graph, Way } from "./graph.ts";

/** A way with the slots that it passes, from its begin to its end. */
export interface Path extends Way {
  readonly slots: readonly Slot[];
  /** Whether it leads back: against the direction of the others. */
  readonly isBack: boolean;
}

/** A place in the grid of the map. */
export interface Slot {
  readonly column: number;
  row: number;
}

/** How often the rows of the columns are put in order. */
const SWEEPS = 6;

/**
 * Puts the places of a graph into columns, so that what causes something stands left of it. A way that passes a column has a
 * slot of its own there, so no way runs through a place.
 */
export function layersOf({ places, ways }: Graph): {
  readonly slots: ReadonlyMap<string, Slot>;
  readonly paths: readonly Path[];
  readonly columns: number;
  readonly rows: number;
} {
  const ids = places.map(({ id }) => id);
  const back = findBack(ids, ways);
  const columnOf = findColumns(ids, ways.filter((way) => !back.has(way)));
  const columns: Slot[][] = [];
  const neighbours = new Map<Slot, Slot[]>();
  const put = (column: number): Slot => {
    const list = columns[column] ??= [];
    const slot = { column, row: list.length };
    list.push(slot);
    neighbours.set(slot, []);
    return slot;
  };
  const slots = new Map(ids.map((id) => [id, put(columnOf.get(id)!)]));
  const paths = ways.map((way) => {
    const [from, to] = [slots.get(way.from)!, slots.get(way.to)!];
    if (back.has(way)) return { ...way, slots: [from, to], isBack: true };
    const passed = Array.from(
      { length: to.column - from.column - 1 },
      (_, index) => put(from.column + index + 1),
    );
    const all = [from, ...passed, to];
    for (const [index, slot] of all.slice(1).entries()) {
      neighbours.get(slot)!.push(all[index]!);
      neighbours.get(all[index]!)!.push(slot);
    }
    return { ...way, slots: all, isBack: false };
  });
  sortRows(columns, neighbours);
  return { slots, paths, columns: columns.length, rows: Math.max(...columns.map((c) => c.length)) };
}

/** Finds the ways that close a circle. */
function findBack(ids: readonly string[], ways: readonly Way[]): ReadonlySet<Way> {
  const back = new Set<Way>();
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (id: string) => {
    if (done.has(id)) return;
    open.add(id);
    for (const way of ways.filter(({ from }) => from === id)) {
      if (open.has(way.to)) back.add(way);
      else visit(way.to);
    }
    open.delete(id);
    done.add(id);
  };
  const targets = new Set(ways.map(({ to }) => to));
  for (const id of [...ids.filter((id) => !targets.has(id)), ...ids]) visit(id);
  return back;
}

/** Gives each place the first column that is right of all its causes. What only starts something stands beside it. */
function findColumns(ids: readonly string[], ways: readonly Way[]): ReadonlyMap<string, number> {
  const columns = new Map<string, number>();
  const columnOf = (id: string): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    const causes = ways.filter(({ to }) => to === id).map(({ from }) => columnOf(from));
    const column = Math.max(-1, ...causes) + 1;
    columns.set(id, column);
    return column;
  };
  ids.forEach(columnOf);
  return columns;
}

/** Puts the slots of each column into the order of what they are connected with. */
function sortRows(columns: readonly Slot[][], neighbours: ReadonlyMap<Slot, readonly Slot[]>) {
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0;
    for (const column of isForward ? columns : columns.toReversed()) {
      const weights = new Map(column.map((slot) => {
        const near = neighbours.get(slot)!
          .filter((other) => isForward === other.column < slot.column);
        const sum = near.reduce((total, { row }) => total + row, 0);
        return [slot, near.length === 0 ? slot.row : sum / near.length];
      }));
      column.sort((a, b) => weights.get(a)! - weights.get(b)!);
      column.forEach((slot, row) => slot.row = row);
    }
  }
}
