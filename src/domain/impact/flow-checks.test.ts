import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT_STATUSES, NODE_STATUSES, WORKLOAD_STATUSES } from '../choices';
import type { EvidenceReason } from './evidence';
import { checkFlows, FLOW_CHECKS, type FlowCheckName, type FlowPath } from './flow-checks';

const RANGE = { since: '2026-11-24T06:00:00.000Z', until: '2026-11-24T08:00:00.000Z' };
const HALF = '2026-11-24T07:00:00.000Z';
const FULL = { covered: 1, delivered: 1, captured: 1, logged: 1 };
const NONE = { covered: 0, delivered: null, captured: null, logged: null };
const PATH: FlowPath = {
  status: 'running',
  node_id: '01980000-0000-7000-8000-000000000001',
  node_status: 'online',
  agent_status: 'ok',
  bridge_filtered: true,
  elsewhere: { waiting: 0, refused: 0 },
};
const reason = (values: Partial<EvidenceReason>): EvidenceReason => ({
  kind: 'gap',
  ...RANGE,
  detail: null,
  lost_share: null,
  ...values,
});
type Case = { parts?: typeof FULL | typeof NONE; reasons?: EvidenceReason[]; path?: Partial<FlowPath> };
const walk = ({ parts = FULL, reasons = [], path = {} }: Case) =>
  checkFlows({ parts, reasons, ...RANGE }, { ...PATH, ...path });
const find = (given: Case, name: FlowCheckName) => walk(given).checks.find(({ check }) => check === name);

describe('the walk from a workload to its flows', () => {
  it('finds nothing where everything was observed', () => {
    const { checks, first_missing } = walk({});
    expect(checks.map(({ check }) => check)).toEqual(FLOW_CHECKS);
    expect(new Set(checks.map(({ state }) => state))).toEqual(new Set(['ok']));
    expect(first_missing).toBeNull();
  });

  it.each<[string, Case, FlowCheckName, string]>([
    [
      'the owner was another one',
      { parts: NONE, reasons: [reason({ kind: 'moved', detail: 'other_owner' })] },
      'known',
      'other_owner',
    ],
    [
      'it is on no node',
      { parts: NONE, path: { node_id: null, node_status: null, agent_status: null } },
      'node',
      'no_node',
    ],
    ['the node is offline', { parts: NONE, path: { node_status: 'offline' } }, 'node', 'node_offline'],
    ['there is no agent', { parts: NONE, path: { agent_status: null } }, 'agent', 'no_agent'],
    ['the agent waits', { parts: NONE, path: { agent_status: 'pending' } }, 'agent', 'agent_pending'],
    ['the agent is silent', { parts: NONE, path: { agent_status: 'silent' } }, 'agent', 'agent_silent'],
    [
      'no heartbeat came',
      { parts: NONE, reasons: [reason({ detail: 'no_heartbeats' })] },
      'heartbeats',
      'no_heartbeats',
    ],
    [
      'all of it has expired',
      { parts: NONE, reasons: [reason({ kind: 'beyond_retention' })] },
      'heartbeats',
      'beyond_retention',
    ],
    ['the agent came later', { parts: NONE, reasons: [reason({ kind: 'no_agent' })] }, 'heartbeats', 'before_agent'],
    [
      'no collector worked',
      { parts: NONE, reasons: [reason({ detail: 'no_collector' })] },
      'collectors',
      'no_collector',
    ],
    [
      'only connection tracking worked, beside the bridges',
      { parts: { ...FULL, captured: 0 }, path: { bridge_filtered: false } },
      'collectors',
      'bridge_not_filtered',
    ],
  ])('names the first that keeps all flows away: %s', (_, given, check, detail) => {
    expect(walk(given).first_missing).toBe(check);
    expect(find(given, check)).toMatchObject({ state: 'missing', detail });
  });

  it('gives the share of the time range, or of what was seen, that is missing', () => {
    const half = { parts: { ...FULL, covered: 0.5 }, reasons: [reason({ detail: 'no_heartbeats', until: HALF })] };
    expect(find(half, 'heartbeats')).toEqual({
      check: 'heartbeats',
      state: 'partly',
      detail: 'no_heartbeats',
      missing_share: 0.5,
    });
    const lossy = {
      parts: { ...FULL, delivered: 0.75 },
      reasons: [reason({ kind: 'capture_drops', lost_share: 0.25 })],
    };
    expect(find(lossy, 'delivery')).toMatchObject({ state: 'partly', detail: 'capture_drops', missing_share: 0.25 });
  });

  it('takes what holds only now for a part of a time range in which something was observed', () => {
    expect(find({ path: { agent_status: 'silent' } }, 'agent')).toMatchObject({ state: 'partly' });
    expect(find({ path: { status: 'stopped' } }, 'running')).toMatchObject({ state: 'partly', detail: 'not_running' });
  });

  it('never takes the unknown for ok, and never says that flows get past where nothing was observed', () => {
    const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
    const paths = fc.record({
      status: pick(WORKLOAD_STATUSES),
      node_id: pick([PATH.node_id, null]),
      node_status: pick([...NODE_STATUSES, null]),
      agent_status: pick([...AGENT_STATUSES, null]),
      bridge_filtered: pick([true, false, null]),
      elsewhere: fc.option(fc.record({ waiting: fc.nat(2), refused: fc.nat(2) })),
    });
    fc.assert(
      fc.property(paths, (path) => {
        const { checks } = walk({ parts: NONE, path });
        const state = (name: FlowCheckName) => checks.find(({ check }) => check === name)?.state;
        expect(state('collectors')).toBe('unknown');
        expect(state('delivery')).toBe('unknown');
        if (path.status === 'unknown') expect(state('running')).toBe('unknown');
        if (path.node_id !== null && path.node_status !== 'online') expect(state('node')).not.toBe('ok');
        expect(state('agent') === 'ok').toBe(
          path.node_id !== null && (path.agent_status === 'ok' || path.agent_status === 'degraded'),
        );
      }),
    );
  });
});
