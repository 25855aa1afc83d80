import { describe, expect, it } from 'vitest';
import { FLOW_GROUPINGS } from '@/domain/choices';
import type { FlowGroup } from '@/domain/flow/flow-sums';
import { narrowToGroup } from './narrow-to-group';

const id = '01900000-0000-7000-8000-000000000001';
const group: FlowGroup = {
  id: 'x',
  source_ip: null,
  source_workload_id: null,
  source_workload_name: null,
  source_cidr: null,
  source_label: null,
  destination_ip: null,
  destination_workload_id: null,
  destination_workload_name: null,
  destination_cidr: null,
  destination_label: null,
  protocol: null,
  port: null,
  decision: null,
  node_id: null,
  node_name: null,
  ...{ action: 'unknown', rules_say: null, audit_say: [], differs: false },
  bytes: 1,
  packets: 1,
  flows: 1,
  last_seen_at: '2026-06-01T12:00:00Z',
};

describe('narrowToGroup', () => {
  it('goes from a pair to its ends, known or not', () => {
    expect(narrowToGroup('workloads', { ...group, source_workload_id: id, destination_cidr: '10.0.0.0/24' })).toEqual({
      source_workload_id: id,
      source: null,
      destination_workload_id: 'none',
      destination: '10.0.0.0/24',
    });
    expect(narrowToGroup('workloads', group)).toMatchObject({ source: 'external', destination: 'external' });
  });

  it('goes from an address, service, verdict or node to its flows', () => {
    expect(narrowToGroup('source', { ...group, source_ip: '10.0.0.1', source_workload_id: id })).toEqual({
      source: '10.0.0.1',
    });
    expect(narrowToGroup('service', { ...group, protocol: 'tcp', port: 22 })).toEqual({ protocol: 'tcp', port: '22' });
    expect(narrowToGroup('service', { ...group, protocol: 'icmp' })).toEqual({ protocol: 'icmp', port: null });
    expect(narrowToGroup('decision', { ...group, decision: 'drop' })).toEqual({ decision: 'drop' });
    expect(narrowToGroup('node', { ...group, node_id: id })).toEqual({ node_id: id });
  });

  it('narrows by something in every grouping', () => {
    for (const grouping of FLOW_GROUPINGS) {
      expect(Object.keys(narrowToGroup(grouping, group)).length, grouping).toBeGreaterThan(0);
    }
  });
});
