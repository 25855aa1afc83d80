import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IMPACT_OUTCOMES } from '../choices';
import { createImpactFold } from './fold-impact';
import type { EndDecision, ObservedConversation, Replayed } from './replay';

const WORKLOADS = ['a', 'b', 'c'].map((letter) => `00000000-0000-7000-8000-00000000000${letter}`);

const anyEnd = fc.constantFrom(
  ...WORKLOADS.map((workload_id, at) => ({ workload_id, ip: `10.0.0.${at}`, prefix: '10.0.0.0/24', internal: true })),
  ...[1, 2, 3].map((last) => ({
    workload_id: null,
    ip: `203.0.113.${last}`,
    prefix: '203.0.113.0/24',
    internal: false,
  })),
);
const decision = (workload_id: string, position: number): EndDecision => ({
  workload_id,
  verdict: 'accept',
  by: { kind: 'rule', position },
  unknown_reason: null,
});

type One = { readonly flow: ObservedConversation; readonly replayed: Replayed };

const anyOne: fc.Arbitrary<One> = fc
  .record({
    ends: fc.tuple(anyEnd, anyEnd),
    reply: fc.boolean(),
    port: fc.constantFrom(22, 443),
    outcome: fc.constantFrom(...IMPACT_OUTCOMES),
    position: fc.constantFrom(0, 1),
    bytes: fc.integer({ min: 0, max: 1_000 }),
    hour: fc.integer({ min: 10, max: 23 }),
  })
  .map(({ ends: [client, server], reply, port, outcome, position, bytes, hour }) => {
    const [source, destination] = reply ? [server, client] : [client, server];
    const flow: ObservedConversation = {
      ...{ source_workload_id: source.workload_id, destination_workload_id: destination.workload_id },
      ...{ source_ip: source.ip, destination_ip: destination.ip },
      ...{ source_prefix: source.prefix, destination_prefix: destination.prefix },
      ...{ source_internal: source.internal, destination_internal: destination.internal },
      ...{ protocol: 'tcp', source_port: null, destination_port: null, initiator: 'source', reply, service_port: port },
      ...{ bytes, packets: 1, flows: 2, last_seen_at: `2026-11-26T${hour}:00:00.000Z` },
    };
    const both = decision(WORKLOADS[0] ?? '', position);
    const unknown_reason = outcome === 'unknown' ? 'prefix_split' : null;
    return { flow, replayed: { outcome, unknown_reason, before: both, after: both } };
  });

const formatConversation = ({ flow }: One): string => {
  const ends = [flow.source_workload_id ?? flow.source_prefix, flow.destination_workload_id ?? flow.destination_prefix];
  return [...(flow.reply ? ends.reverse() : ends), flow.service_port].join(' ');
};
const formatRow = (one: One) => {
  const { outcome, before } = one.replayed;
  return `${formatConversation(one)} ${outcome} ${before.by?.kind === 'rule' ? before.by.position : ''}`;
};
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

function foldAll(all: readonly One[], most: number) {
  const fold = createImpactFold(most);
  for (const { flow, replayed } of all) fold.add(flow, replayed);
  fold.close();
  return { totals: fold.totals, rows: fold.first(most) };
}

describe('createImpactFold', () => {
  it('counts each client, server and service once by outcome and deciding rule, and keeps the most harmful', () => {
    fc.assert(
      fc.property(fc.array(anyOne, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (given, most) => {
        const sorted = [...given].sort((a, b) => (formatConversation(a) < formatConversation(b) ? -1 : 1));
        const expected = new Map<string, One[]>();
        for (const one of sorted) expected.set(formatRow(one), [...(expected.get(formatRow(one)) ?? []), one]);
        const { totals, rows } = foldAll(sorted, 1_000);
        for (const outcome of IMPACT_OUTCOMES) {
          const count = [...expected.values()].filter(([one]) => one?.replayed.outcome === outcome).length;
          expect(totals[outcome]).toBe(count);
        }
        expect(rows).toHaveLength(expected.size);
        expect(sum(rows.map(({ bytes }) => bytes))).toBe(sum(given.map(({ flow }) => flow.bytes)));
        expect(sum(rows.map(({ flows }) => flows))).toBe(2 * given.length);
        const ranks = rows.map(({ outcome }) => IMPACT_OUTCOMES.indexOf(outcome));
        expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
        // However few are kept, totals are exact and these are the first.
        const few = foldAll(sorted, most);
        expect(few.totals).toEqual(totals);
        expect(few.rows).toEqual(rows.slice(0, most));
      }),
      { seed: 16 },
    );
  });

  it('shows one address as itself, and several by their network', () => {
    const [replayed] = fc.sample(anyOne, { seed: 1, numRuns: 1 }).map((one) => one.replayed);
    const flow = (last: number): ObservedConversation => ({
      ...{ source_workload_id: null, destination_workload_id: WORKLOADS[0] ?? null },
      ...{ source_ip: `203.0.113.${last}`, destination_ip: '10.0.0.1', source_prefix: '203.0.113.0/24' },
      ...{ destination_prefix: '10.0.0.0/24', source_internal: false, destination_internal: true, protocol: 'tcp' },
      ...{ source_port: null, destination_port: 443, initiator: 'source', reply: false, service_port: 443 },
      ...{ bytes: 1, packets: 1, flows: 1, last_seen_at: '2026-11-26T10:00:00.000Z' },
    });
    if (!replayed) throw new Error('expected a sample');
    const ends = (lasts: readonly number[]) =>
      foldAll(
        lasts.map((last) => ({ flow: flow(last), replayed })),
        10,
      ).rows[0];
    expect(ends([7, 7])?.client).toMatchObject({ prefix: '203.0.113.7', addresses: 1, internal: false });
    expect(ends([7, 9])?.client).toMatchObject({ prefix: '203.0.113.0/24', addresses: 2 });
    expect(ends([7, 9])?.server).toMatchObject({ workload_id: WORKLOADS[0], prefix: '10.0.0.1', addresses: 1 });
  });
});
