import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guestFact } from '@/server/providers/hypervisor/guest-fact.fixture';
import type { GuestFact, Listing } from '@/server/providers/hypervisor/types';
import { type PresentWorkload, planGuests, type WorkloadState } from './guests';

const now = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const list = <T>(items: T[], complete = true): Listing<T> => ({
  items,
  complete,
  incompleteReason: complete ? null : 'filtered',
});
const few = <T>(item: fc.Arbitrary<T>, key: (value: T) => unknown) =>
  fc.uniqueArray(item, { selector: key, maxLength: 12 });

const facts: fc.Arbitrary<GuestFact> = fc
  .record({
    vmid: fc.integer({ min: 100, max: 110 }),
    kind: fc.constantFrom('qemu' as const, 'lxc' as const),
    node: fc.constantFrom('a', 'b', 'unknown-node'),
    runtime_known: fc.boolean(),
    pool_known: fc.boolean(),
    name: fc.option(fc.constantFrom('x', 'y')),
    status: fc.constantFrom('running' as const, 'stopped' as const, 'paused' as const),
    template: fc.option(fc.boolean()),
    tags: fc.option(fc.subarray(['t1', 't2'])),
    pool: fc.option(fc.constantFrom('p1', 'p2')),
    lock: fc.option(fc.constantFrom('backup')),
    ha_state: fc.option(fc.constantFrom('started')),
    cpu_count: fc.option(fc.nat(4)),
    memory_bytes: fc.option(fc.nat(4)),
    uptime_seconds: fc.option(fc.nat(100_000)),
  })
  .map((fact) =>
    guestFact({
      ...fact,
      ...(!fact.runtime_known && {
        status: 'unknown' as const,
        name: null,
        template: null,
        tags: null,
        lock: null,
        ha_state: null,
        uptime_seconds: null,
      }),
    }),
  );
const guests = few(facts, (fact) => fact.vmid);
const nodeIds = new Map([
  ['a', 'id-a'],
  ['b', 'id-b'],
]);

/** What the database holds after the plan, with made-up ids. */
function applyGuests(present: readonly PresentWorkload[], plan: ReturnType<typeof planGuests<PresentWorkload>>) {
  const rows = new Map(present.map((row) => [row.id, row]));
  for (const row of plan.change) rows.set(row.id, row);
  for (const { gone } of plan.replace) rows.delete(gone.id);
  let serial = 0;
  const insert = (state: WorkloadState) => {
    const id = `${state.vmid}-${state.kind}-${now.getTime()}-${serial++}`;
    rows.set(id, { ...state, id });
  };
  for (const { next } of plan.replace) insert(next);
  for (const state of plan.create) insert(state);
  return [...rows.values()];
}

describe('the plan for guests', () => {
  it('converges in one step: planned again, there is nothing to do', () => {
    fc.assert(
      fc.property(guests, guests, fc.boolean(), (before, after, complete) => {
        const stored = applyGuests([], planGuests(list(before), [], nodeIds, now));
        const present = applyGuests(stored, planGuests(list(after, complete), stored, nodeIds, now));
        const again = planGuests(list(after, complete), present, nodeIds, later(60_000 * 0));
        expect({ ...again, absent: [], kept: 0 }).toEqual({ create: [], change: [], replace: [], absent: [], kept: 0 });
      }),
    );
  });

  it('never removes by itself, never loses an identity of the same kind, never forgets a fact to silence', () => {
    fc.assert(
      fc.property(guests, guests, (before, after) => {
        const stored = applyGuests([], planGuests(list(before), [], nodeIds, now));
        const plan = planGuests(list(after), stored, nodeIds, now);
        const present = applyGuests(stored, plan);
        const listed = new Map(after.map((fact) => [fact.vmid, fact]));
        expect(plan.absent.map((row) => row.vmid).sort()).toEqual(
          stored
            .map((row) => row.vmid)
            .filter((vmid) => !listed.has(vmid))
            .sort(),
        );
        for (const row of stored) {
          const fact = listed.get(row.vmid);
          const next = present.find((other) => other.vmid === row.vmid);
          if (!fact || fact.kind !== row.kind) continue;
          expect(next?.id).toBe(row.id);
          for (const field of ['name', 'tags', 'template', 'cpu_count', 'memory_bytes'] as const)
            expect(next?.[field]).toEqual(fact[field] ?? row[field]);
          if (!fact.runtime_known)
            expect(next).toMatchObject({ lock: row.lock, ha_state: row.ha_state, started_at: row.started_at });
          if (fact.pool === null) expect(next?.pool).toBe(fact.pool_known ? null : row.pool);
        }
      }),
    );
  });

  it('asks for the config again exactly when a sign of change was seen', () => {
    const fact = guestFact({
      ...{ node: 'a', kind: 'qemu', vmid: 100, runtime_known: true, name: 'x', status: 'running', template: false },
      ...{ tags: ['t'], cpu_count: 1, memory_bytes: 1, uptime_seconds: 1000 },
    });
    const [first] = applyGuests([], planGuests(list([fact]), [], nodeIds, now));
    const row = { ...(first as PresentWorkload), config_digest: 'digest' };
    const digestAfter = (changes: Partial<GuestFact>) => {
      const plan = planGuests(list([{ ...fact, ...changes }]), [row], nodeIds, now);
      return plan.change[0]?.config_digest ?? row.config_digest;
    };
    for (const changes of [
      { node: 'b' },
      { status: 'stopped' },
      { uptime_seconds: 3 },
      { tags: [] },
      { pool: 'p' },
      { name: 'y' },
      { lock: 'backup' },
      { template: true },
    ] as const)
      expect({
        changes,
        digest: planGuests(list([{ ...fact, ...changes }] as GuestFact[]), [row], nodeIds, now).change[0]
          ?.config_digest,
      }).toEqual({ changes, digest: null });
    for (const changes of [
      {},
      { ha_state: 'started' },
      { cpu_count: 2 },
      { memory_bytes: 2 },
      { uptime_seconds: 1010 },
    ])
      expect(digestAfter(changes)).toBe('digest');
  });
});
