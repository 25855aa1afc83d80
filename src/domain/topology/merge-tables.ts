import { type ConversationTable, createColumns } from './conversation-table';

/** So many ends and services have numbers whose product is exact. */
export const MAX_MERGED = { ends: 2 ** 19, services: 2 ** 15 };

type Columns = ReturnType<typeof createColumns>;

const cutColumns = (columns: Columns, size: number): Columns => ({
  source: columns.source.subarray(0, size),
  destination: columns.destination.subarray(0, size),
  service: columns.service.subarray(0, size),
  bytes: columns.bytes.subarray(0, size),
  packets: columns.packets.subarray(0, size),
  flows: columns.flows.subarray(0, size),
  last_seen: columns.last_seen.subarray(0, size),
});

const copyRow = (to: Columns, at: number, from: ConversationTable, row: number): void => {
  to.source[at] = from.source[row] as number;
  to.destination[at] = from.destination[row] as number;
  to.service[at] = from.service[row] as number;
  to.bytes[at] = from.bytes[row] as number;
  to.packets[at] = from.packets[row] as number;
  to.flows[at] = from.flows[row] as number;
  to.last_seen[at] = from.last_seen[row] as number;
};

/** A table of some rows of another one, in this order. */
export function selectRows(table: ConversationTable, rows: Uint32Array): ConversationTable {
  const columns = createColumns(rows.length);
  for (let at = 0; at < rows.length; at++) copyRow(columns, at, table, rows[at] as number);
  return { size: rows.length, ends: table.ends, services: table.services, ...columns };
}

/** The same rows by the end that opened them: what evaluates them finds those of one guest beside each other. */
export function sortBySource(table: ConversationTable): ConversationTable {
  const byNumber = Float64Array.from(table.source, (end, row) => end * 2 ** 32 + row).sort();
  return selectRows(
    table,
    Uint32Array.from(byNumber, (number) => number % 2 ** 32),
  );
}

/** The upper 16 bits of a number that is not negative: ordered as the numbers are. */
const BITS = 16;

/** The number that is at this place when all are sorted. Only those with the same upper bits are. @param values none is negative */
function selectSorted(values: Float64Array, place: number): number {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const counts = new Uint32Array(2 ** BITS);
  const readUpper = (at: number) => (words[2 * at + 1] as number) >>> BITS;
  for (let at = 0; at < values.length; at++) counts[readUpper(at)] = (counts[readUpper(at)] as number) + 1;
  let [upper, before] = [0, 0];
  while (before + (counts[upper] as number) <= place) before += counts[upper++] as number;
  const same = values.filter((_, at) => readUpper(at) === upper).sort();
  return same[place - before] as number;
}

/** The `most` rows with the most bytes; of equal ones the first. */
export function takeHeaviest(table: ConversationTable, most: number): ConversationTable {
  const { size, bytes } = table;
  if (size <= most) return table;
  const least = selectSorted(bytes.subarray(0, size), size - most);
  let heavier = 0;
  for (let row = 0; row < size; row++) if ((bytes[row] as number) > least) heavier += 1;
  const rows = new Uint32Array(most);
  let equal = most - heavier;
  for (let row = 0, at = 0; row < size && at < most; row++) {
    const weight = bytes[row] as number;
    if (weight > least || (weight === least && equal-- > 0)) rows[at++] = row;
  }
  return selectRows(table, rows);
}

/**
 * What two tables have together: a conversation that is in both once, with the traffic of both. In each of them it is there once.
 * @param table with the same names as `other`, of which there are no more than `MAX_MERGED`
 */
export function mergeTables(table: ConversationTable, other: ConversationTable): ConversationTable {
  const getKey = ({ source, destination, service }: ConversationTable, row: number) =>
    ((source[row] as number) * MAX_MERGED.ends + (destination[row] as number)) * MAX_MERGED.services +
    (service[row] as number);
  const others = new Map<number, number>();
  for (let row = 0; row < other.size; row++) others.set(getKey(other, row), row);
  const columns = createColumns(table.size + other.size);
  for (let row = 0; row < table.size; row++) {
    copyRow(columns, row, table, row);
    const key = getKey(table, row);
    const same = others.get(key);
    if (same === undefined) continue;
    others.delete(key);
    columns.bytes[row] = (table.bytes[row] as number) + (other.bytes[same] as number);
    columns.packets[row] = (table.packets[row] as number) + (other.packets[same] as number);
    columns.flows[row] = (table.flows[row] as number) + (other.flows[same] as number);
    columns.last_seen[row] = Math.max(table.last_seen[row] as number, other.last_seen[same] as number);
  }
  let size = table.size;
  for (const row of others.values()) copyRow(columns, size++, other, row);
  return { size, ends: table.ends, services: table.services, ...cutColumns(columns, size) };
}
