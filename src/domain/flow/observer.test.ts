import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateObserver, PLACEMENT_TOLERANCE_MS, type Placement, settleReport, wasOn } from './observer';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const always = (node_id: string | null): Placement => ({ node_id, since: null, past: [], vmid_since: null });
/** On n1 until it was read on n2 an hour ago; last read on n1 a minute before. */
const moved: Placement = {
  node_id: 'n2',
  since: NOW - HOUR - 60_000,
  past: [{ node_id: 'n1', since: null, until: NOW - HOUR }],
  vmid_since: null,
};

describe('evaluateObserver', () => {
  it('returns what the word of a node about an interface is worth', () => {
    expect(evaluateObserver(null, null, () => true)).toBe('no_guest_interface');
    expect(evaluateObserver(100, null, () => true)).toBe('unknown_vmid');
    expect(evaluateObserver(100, 'w', () => true)).toBe('confirmed');
    expect(evaluateObserver(100, 'w', () => false)).toBe('elsewhere');
  });
});

describe('wasOn', () => {
  it('returns true at all times for the only node of a workload', () => {
    fc.assert(fc.property(fc.integer(), (at) => wasOn(always('n1'), 'n1', at) && !wasOn(always('n1'), 'n2', at)));
    expect(wasOn(always(null), 'n1', NOW)).toBe(false);
  });

  it('follows a migration: accepts each node for its own time, and both while the workload moved', () => {
    const on = (node: string, at: number) => wasOn(moved, node, at);
    expect([on('n1', NOW - 2 * HOUR), on('n2', NOW - 2 * HOUR)]).toEqual([true, false]);
    expect([on('n1', NOW - HOUR - 30_000), on('n2', NOW - HOUR - 30_000)]).toEqual([true, true]);
    expect([on('n1', NOW), on('n2', NOW)]).toEqual([false, true]);
    expect(on('n1', NOW - HOUR + PLACEMENT_TOLERANCE_MS + 1)).toBe(false);
    expect(on('n3', NOW)).toBe(false);
  });

  it('returns false on every node for all times at which another workload may have had the VMID', () => {
    const since = NOW - 2 * HOUR;
    const own = { ...moved, vmid_since: since };
    fc.assert(
      fc.property(fc.integer({ min: -3 * HOUR, max: 3 * HOUR }), fc.constantFrom('n1', 'n2'), (by, node) => {
        expect(wasOn(own, node, since + by)).toBe(by >= 0 && wasOn(moved, node, since + by));
      }),
    );
  });
});

describe('settleReport', () => {
  const report = { node_id: 'n1', observed_at: NOW, received_at: NOW };
  const reading = (node_id: string | null, lock: string | null = null, read_at = NOW + 1) => ({
    read_at,
    found: { node_id, lock },
  });

  it('confirms what the place at the time of the flow allows, also without a reading', () => {
    expect(settleReport(report, always('n1'), null)).toBe('confirmed');
    // Kept by the agent since before the workload moved away.
    expect(settleReport({ ...report, observed_at: NOW - 2 * HOUR }, moved, reading('n2'))).toBe('confirmed');
  });

  it('refuses only with a snapshot, read after the report, that shows the workload elsewhere', () => {
    expect(settleReport(report, moved, reading('n2'))).toBe('refused');
    for (const unknown of [
      null,
      { read_at: NOW + 1, found: null },
      reading(null),
      reading('n2', 'migrate'),
      reading('n2', null, NOW - 1),
    ]) {
      expect(settleReport(report, moved, unknown)).toBe('waiting');
    }
  });

  it('leaves a report waiting that is of the workload that had the VMID before', () => {
    const next = { ...always('n2'), vmid_since: NOW + 1 };
    for (const node of ['n1', 'n2']) {
      expect(settleReport({ ...report, node_id: node }, next, reading('n2'))).toBe('waiting');
      expect(settleReport({ ...report, node_id: node, observed_at: NOW + 1 }, next, reading('n2'))).toBe(
        node === 'n2' ? 'confirmed' : 'refused',
      );
    }
  });

  it('refuses what a node reports for the time before a workload moved to it', () => {
    const early = { node_id: 'n2', observed_at: NOW - 3 * HOUR, received_at: NOW };
    expect(settleReport(early, moved, reading('n2'))).toBe('refused');
  });
});
