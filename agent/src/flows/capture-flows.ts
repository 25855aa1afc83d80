import type { Flow } from '@fabric/agent-contract';
import { parseGuestInterface } from '@fabric/agent-contract/guest-interface';
import type { CaptureSource } from '../capture/capture';
import type { Conversations } from '../capture/conversations';
import { type FlowTable, WORD } from '../capture/flow-table';
import { hasPorts, isIcmp, protocolName } from '../net/protocols';
import { type Candidate, counterFields, flowTime } from './candidate';
import { TopK } from './top-k';

/** What the packet capture saw in one interval. */
export type CaptureSnapshot = {
  collector: CaptureSource['name'];
  table: FlowTable;
  conversations: Conversations;
  /** Interface names by kernel index. */
  names: ReadonlyMap<number, string>;
  /** Wall milliseconds at which the interval began. */
  since: number;
};

/** Makes flow number `flow` of a snapshot an object. */
export function toCaptureCandidate(snapshot: CaptureSnapshot, flow: number): Candidate {
  const { table, conversations } = snapshot;
  const row = conversations.counterRows[flow] as number;
  const protocol = table.protocol(row);
  const ports = table.word(row, WORD.ports);
  const total = { bytes: table.bytes[row] as number, packets: table.packets[row] as number };
  const added = { bytes: table.newBytes[row] as number, packets: table.newPackets[row] as number };
  const initiator = conversations.initiator(flow);
  return {
    flow: {
      source_ip: table.address(row, WORD.source),
      destination_ip: table.address(row, WORD.destination),
      protocol: protocolName(protocol),
      source_port: toHostPort(ports & 0xffff, protocol, ports),
      destination_port: toHostPort(ports >>> 16, protocol, ports),
      decision: 'observed',
      state: conversations.state(flow),
      ...counterFields(total, added),
      first_seen_at: flowTime(table.first[row] as number),
      observed_at: flowTime(table.last[row] as number),
      collector: snapshot.collector,
      ...(initiator && { initiator }),
      ...(isIcmp(protocol) && { icmp_type: (ports >>> 16) & 255, icmp_code: ports >>> 24 }),
      ...guestFields(snapshot, conversations.guestRows[flow] as number),
    },
    newBytes: added.bytes,
    newPackets: added.packets,
    isNew: (table.first[row] as number) >= snapshot.since,
  };
}

/**
 * The flows worth making objects of: the largest, and the newest of the new ones.
 * @param skip flow numbers that are reported otherwise
 */
export function topCaptureFlows(
  snapshot: CaptureSnapshot,
  limits: { largest: number; newest: number },
  skip: ReadonlySet<number>,
): Candidate[] {
  const { table, conversations } = snapshot;
  const largest = new TopK<number>(limits.largest);
  const newest = new TopK<number>(limits.newest);
  for (let flow = 0; flow < conversations.size; flow += 1) {
    if (skip.has(flow)) continue;
    const row = conversations.counterRows[flow] as number;
    const first = table.first[row] as number;
    largest.offer(table.newBytes[row] as number, flow);
    if (first >= snapshot.since) newest.offer(first, flow);
  }
  return [...new Set([...largest.sorted(), ...newest.sorted()])].map((flow) => toCaptureCandidate(snapshot, flow));
}

/** Port in host order; null where the protocol has none and for later fragments, whose key holds zeroes. */
function toHostPort(networkOrder: number, protocol: number, ports: number): number | null {
  if (!hasPorts(protocol) || ports === 0) return null;
  return ((networkOrder & 255) << 8) | (networkOrder >> 8);
}

function guestFields({ table, names }: CaptureSnapshot, row: number): Partial<Flow> {
  const name = names.get(table.word(row, WORD.ifindex));
  const guest = name === undefined ? null : parseGuestInterface(name);
  const vlan = table.vlan(row);
  return {
    ...(name !== undefined && { interface: name }),
    ...(guest && { vmid: guest.vmid, nic: guest.nic }),
    ...(vlan > 0 && vlan < 4095 && { vlan }),
  };
}
