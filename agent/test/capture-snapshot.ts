import { Conversations } from '../src/capture/conversations';
import { DIRECTION } from '../src/capture/ebpf/layout';
import { FlowTable } from '../src/capture/flow-table';
import type { CaptureSnapshot } from '../src/flows/capture-flows';
import { addressToWords } from '../src/net/addresses';

/** One row of a capture, as the kernel would have counted it. */
export type CapturedRow = {
  source: string;
  destination: string;
  protocol: number;
  sourcePort?: number;
  destinationPort?: number;
  icmp?: { type: number; code: number };
  ifindex: number;
  isFromGuest?: boolean;
  vlan?: number;
  packets: number;
  bytes: number;
  first?: number;
  last?: number;
  flags?: number;
};

const swap = (port: number): number => ((port & 255) << 8) | (port >> 8);

/** Adds a row's counts to a table. */
export function addRow(table: FlowTable, row: CapturedRow): void {
  const ports = row.icmp
    ? (row.icmp.type | (row.icmp.code << 8)) << 16
    : swap(row.sourcePort ?? 0) | (swap(row.destinationPort ?? 0) << 16);
  const direction = row.isFromGuest === false ? DIRECTION.toGuest : DIRECTION.fromGuest;
  const key = new Uint32Array([
    ...(addressToWords(row.source) ?? [0, 0, 0, 0]),
    ...(addressToWords(row.destination) ?? [0, 0, 0, 0]),
    ports,
    (row.vlan ?? 0) | (row.protocol << 16) | (direction << 24),
    row.ifindex,
  ]);
  table.add(key, 0, row.packets, row.bytes, row.first ?? 1000, row.last ?? 2000, row.flags ?? 0);
}

/** A capture that saw these rows since time 0. Interface n is tap<100 + n>i0. */
export function buildCaptureSnapshot(rows: CapturedRow[], since = 0): CaptureSnapshot {
  const table = new FlowTable();
  for (const row of rows) addRow(table, row);
  const names = new Map(rows.map(({ ifindex }) => [ifindex, `tap${100 + ifindex}i0`]));
  return { collector: 'ebpf', table, conversations: new Conversations(table), names, since };
}
