/** Traffic that one end opened to another, by service and verdict of the flows. An end without a workload is its prefix. */
export type Conversation = {
  source_workload_id: string | null;
  source_prefix: string;
  source_internal: boolean;
  destination_workload_id: string | null;
  destination_prefix: string;
  destination_internal: boolean;
  protocol: string;
  port: number | null;
  decision: string;
  /** Replies were seen. Left out of rollups per minute and hour, which do not record it. */
  answered?: boolean;
  bytes: number;
  packets: number;
  flows: number;
  last_seen_at: string;
};

/** One end of conversations: a workload in a network, or a network alone. */
export type TableEnd = {
  readonly workload_id: string | null;
  readonly prefix: string;
  readonly internal: boolean;
};

/** What conversations were about, and what was seen of them. */
export type TableService = Pick<Conversation, 'protocol' | 'port' | 'decision' | 'answered'>;

type Columns = {
  source: Uint32Array;
  destination: Uint32Array;
  service: Uint32Array;
  bytes: Float64Array;
  packets: Float64Array;
  flows: Float64Array;
  /** Milliseconds since 1970. */
  last_seen: Float64Array;
};

/**
 * Conversations in columns, in no order: a map has hundreds of thousands. Each end and each service is there once, and rows have their
 * numbers (`ends[source[row]]`).
 */
export type ConversationTable = Readonly<Columns> & {
  readonly size: number;
  readonly ends: readonly TableEnd[];
  readonly services: readonly TableService[];
};

/** Numbers of ends and services, which several tables can share: a number stays what it is. */
export class ConversationNames {
  readonly ends: TableEnd[] = [];
  readonly services: TableService[] = [];
  readonly #ends = new Map<string, number>();
  readonly #services = new Map<string, number>();

  numberOfEnd(workload_id: string | null, prefix: string, internal: boolean): number {
    const key = `${workload_id ?? ''} ${prefix} ${internal}`;
    let number = this.#ends.get(key);
    if (number === undefined) {
      number = this.ends.push({ workload_id, prefix, internal }) - 1;
      this.#ends.set(key, number);
    }
    return number;
  }

  numberOfService({ protocol, port, decision, answered }: TableService): number {
    const key = `${protocol} ${port} ${decision} ${answered ?? ''}`;
    let number = this.#services.get(key);
    if (number === undefined) {
      number = this.services.push({ protocol, port, decision, ...(answered !== undefined && { answered }) }) - 1;
      this.#services.set(key, number);
    }
    return number;
  }
}

/** Columns for so many rows, with nothing in them. */
export const createColumns = (size: number): Columns => ({
  source: new Uint32Array(size),
  destination: new Uint32Array(size),
  service: new Uint32Array(size),
  bytes: new Float64Array(size),
  packets: new Float64Array(size),
  flows: new Float64Array(size),
  last_seen: new Float64Array(size),
});

/** Makes a table of conversations. */
export function tabulate(
  conversations: readonly Conversation[],
  names: ConversationNames = new ConversationNames(),
): ConversationTable {
  const size = conversations.length;
  const table = { size, ends: names.ends, services: names.services, ...createColumns(size) };
  for (const [row, one] of conversations.entries()) {
    table.source[row] = names.numberOfEnd(one.source_workload_id, one.source_prefix, one.source_internal);
    table.destination[row] = names.numberOfEnd(
      one.destination_workload_id,
      one.destination_prefix,
      one.destination_internal,
    );
    table.service[row] = names.numberOfService(one);
    table.bytes[row] = one.bytes;
    table.packets[row] = one.packets;
    table.flows[row] = one.flows;
    table.last_seen[row] = Date.parse(one.last_seen_at);
  }
  return table;
}

/** A row of a table as a conversation. */
export function readRow(table: ConversationTable, row: number): Conversation {
  const source = table.ends[table.source[row] as number] as TableEnd;
  const destination = table.ends[table.destination[row] as number] as TableEnd;
  const last_seen = table.last_seen[row] as number;
  return {
    source_workload_id: source.workload_id,
    source_prefix: source.prefix,
    source_internal: source.internal,
    destination_workload_id: destination.workload_id,
    destination_prefix: destination.prefix,
    destination_internal: destination.internal,
    ...(table.services[table.service[row] as number] as TableService),
    bytes: table.bytes[row] as number,
    packets: table.packets[row] as number,
    flows: table.flows[row] as number,
    last_seen_at: Number.isNaN(last_seen) ? '' : new Date(last_seen).toISOString(),
  };
}

/** All rows of a table as conversations. */
export const readRows = (table: ConversationTable): Conversation[] =>
  Array.from({ length: table.size }, (_, row) => readRow(table, row));
