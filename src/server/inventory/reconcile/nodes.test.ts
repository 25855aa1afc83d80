import { describe, expect, it } from 'vitest';
import type { Listing, NodeFact } from '@/server/providers/hypervisor/types';
import { NODE_REMOVAL_MS, type PresentNode, planNodes } from './nodes';

const now = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const list = <T>(items: T[], complete = true): Listing<T> => ({
  items,
  complete,
  incompleteReason: complete ? null : 'filtered',
});

describe('the plan for nodes', () => {
  const fact = (name: string, changes: Partial<NodeFact> = {}): NodeFact => ({
    name,
    status: 'online',
    address: '10.0.0.1',
    tls_fingerprint: null,
    provider_version: '9.0',
    nftables: false,
    cpu_count: 4,
    memory_bytes: 4,
    uptime_seconds: 1000,
    ...changes,
  });
  const store = (facts: NodeFact[]) =>
    planNodes(list(facts), [], new Set(), now).create.map((row): PresentNode => ({ ...row, id: row.name }));

  it('keeps what an offline node does not tell', () => {
    const plan = planNodes(
      list([
        fact('a', { status: 'offline', provider_version: null, cpu_count: null, uptime_seconds: null, address: null }),
      ]),
      store([fact('a')]),
      new Set(),
      now,
    );
    expect(plan.change).toMatchObject([
      {
        status: 'offline',
        provider_version: '9.0',
        cpu_count: 4,
        address: '10.0.0.1',
        started_at: null,
        fault: 'The node is offline.',
      },
    ]);
    expect(planNodes(list([fact('a')]), store([fact('a')]), new Set(), now)).toMatchObject({
      create: [],
      change: [],
      remove: [],
      kept: 1,
    });
  });

  it('removes a member that left only after a day of complete lists, and only when it is empty', () => {
    const [marked] = planNodes(list([fact('b')]), store([fact('a'), fact('b')]), new Set(), now).change;
    expect(marked).toMatchObject({ name: 'a', missing_since: now.toISOString(), status: 'unknown' });
    const removedWith = (complete: boolean, occupied: string[], ms: number) =>
      planNodes(list([fact('b')], complete), [marked as PresentNode], new Set(occupied), later(ms)).remove.length;
    expect(removedWith(true, [], NODE_REMOVAL_MS)).toBe(1);
    expect(removedWith(true, [], NODE_REMOVAL_MS - 1)).toBe(0);
    expect(removedWith(false, [], NODE_REMOVAL_MS)).toBe(0);
    expect(removedWith(true, ['a'], NODE_REMOVAL_MS)).toBe(0);
    expect(planNodes(list([fact('a')]), [marked as PresentNode], new Set(), now).change).toMatchObject([
      { missing_since: null, fault: null },
    ]);
  });
});
