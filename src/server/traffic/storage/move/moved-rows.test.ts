import { expect, it } from 'vitest';
import { stableKey } from '@/server/lib/ids';
import type { StoredFlow } from './clickhouse-history';
import { type OpenState, toMovedFlow } from './moved-rows';

const NONE = '00000000-0000-0000-0000-000000000000';
const NODE = '10000000-0000-0000-0000-000000000000';
const makeId = (hour: number) => `01a22387-4f8${hour}-85b5-a1ec-28216f5ea8b6`;

const makeFlow = (conversation_id: string, is_final = false): StoredFlow => ({
  ...{ row_key: [], conversation_id, forward: true, decision: 'observed', node_id: NODE, cluster_id: NODE },
  ...{ source_address: '10.0.0.1', destination_address: '10.0.0.2', protocol: 'tcp', source_port: 40_000 },
  ...{ destination_port: 443, bytes: 10, packets: null, first_ms: 1, observed_ms: 2, created_ms: 3, updated_ms: 4 },
  ...{ changed_ms: 5, source_workload_id: NONE, destination_workload_id: NODE, source_cidr: '', is_final },
  ...{ destination_cidr: '10.0.0.0/8', interface: null, vmid: null, nic: null, vlan: null, workload_id: NONE },
  ...{ state: null, collector: 'ebpf', initiator: null, icmp_type: null, icmp_code: null, raw: null },
});
const open = (ordinal: number, is_final = false): OpenState => ({ ordinal, is_final, reports: {} });

it('a flow has the key of the next report of its conversation, and no other one has it', () => {
  const own = stableKey(['10.0.0.1', '10.0.0.2', 'tcp', 40_000, 443, 'observed']);
  const moved = [
    toMovedFlow(makeFlow(makeId(0)), open(0)),
    toMovedFlow(makeFlow(makeId(1)), open(1)),
    toMovedFlow(makeFlow(makeId(2)), open(2, true)),
    toMovedFlow(makeFlow(makeId(3)), undefined),
    toMovedFlow(makeFlow(makeId(4)), undefined),
    toMovedFlow(makeFlow(makeId(5), true), undefined),
  ];
  const found = moved.map(({ flow_key, conversation_id }) => {
    if (flow_key === own) return 'of a first conversation';
    return flow_key === stableKey([own, conversation_id]) ? 'of a later one' : 'of no report';
  });
  const later = 'of a later one';
  expect(found).toEqual(['of a first conversation', later, 'of no report', later, later, 'of no report']);
  expect(new Set(moved.map(({ flow_key }) => flow_key)).size).toBe(moved.length);
  expect(new Set(moved.map(({ conversation_key }) => conversation_key)).size).toBe(1);
  // The next conversation of the ends is the first one, unless one may continue.
  expect(moved.slice(3).map(({ ordinal }) => ordinal)).toEqual([-1, -1, -1]);
});

it('a flow has the totals that its agent sent last, and knows no end that was unknown', () => {
  const reports = { [`${NODE}>observed`]: [2, 0, 700, null] as const, [`${NODE}<observed`]: [2, 0, 9, 9] as const };
  expect(toMovedFlow(makeFlow(makeId(0)), { ...open(0), reports })).toMatchObject({
    ...{ bytes: 10, packets: null, reported_bytes: 700, reported_packets: null },
    ...{ source_workload_id: null, destination_workload_id: NODE, source_cidr: null, destination_cidr: '10.0.0.0/8' },
    ...{ first_seen_at: '1970-01-01T00:00:00.001Z', changed_at: '1970-01-01T00:00:00.005Z' },
  });
});
