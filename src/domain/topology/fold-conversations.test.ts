import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SERVICE_WORKLOADS } from '../choices';
import type { Action } from '../flow-action';
import type { SummedVerdict } from '../summed-verdict';
import { type Conversation, tabulate } from './conversation-table';
import type { EvaluatedConversations } from './edge-totals';
import { EDGE_VERDICTS, type EdgeVerdict } from './edge-verdict';
import { foldConversations, foldGroups } from './fold-conversations';
import { MAX_EDGE_SERVICES, MAX_PEER_PREFIXES } from './topology';

const CLUSTER = 'c1';
const findStanding = (id: string) =>
  id === 'gone' ? null : { cluster_id: CLUSTER, network_id: id === 'loose' ? null : 'n1' };

const createConversation = (values: Partial<Conversation> = {}): Conversation => ({
  source_workload_id: 'a',
  source_prefix: '10.0.0.0/24',
  source_internal: true,
  destination_workload_id: 'b',
  destination_prefix: '10.0.0.0/24',
  destination_internal: true,
  protocol: 'tcp',
  port: 443,
  decision: 'observed',
  bytes: 100,
  packets: 10,
  flows: 1,
  last_seen_at: '2026-01-01T00:00:00.000Z',
  ...values,
});
const summed = (action: Action): SummedVerdict => ({ action, rules_say: null, audit_say: [], differs: false });
const toEvaluated = (list: readonly (readonly [Conversation, EdgeVerdict, Action?])[]): EvaluatedConversations => ({
  table: tabulate(list.map(([conversation]) => conversation)),
  verdicts: list.map(([, edge, action = 'unknown']) => ({ edge, verdict: summed(action) })),
});
const fold = (...list: [Conversation, EdgeVerdict, Action?][]) => foldConversations(toEvaluated(list), findStanding);

describe('foldConversations', () => {
  it('adds up the traffic between two ends, separately for each verdict', () => {
    const { edges, peers } = fold(
      [createConversation(), 'accepted'],
      [createConversation({ bytes: 5, last_seen_at: '2026-01-01T00:05:00.000Z' }), 'accepted'],
      [createConversation({ port: 80, bytes: 1 }), 'accepted'],
      [createConversation({ port: 22, bytes: 1 }), 'dropped'],
    );
    expect(peers).toEqual([]);
    expect(edges.map(({ verdict, bytes, services_total }) => [verdict, bytes, services_total])).toEqual([
      ['dropped', 1, 1],
      ['accepted', 106, 2],
    ]);
    const last_seen_at = '2026-01-01T00:05:00.000Z';
    expect(edges[1]).toMatchObject({ source: 'a', destination: 'b', packets: 30, flows: 3, last_seen_at });
    expect(edges[1]?.services).toEqual([
      { protocol: 'tcp', port: 443, bytes: 105, packets: 20, flows: 2, last_seen_at },
      { protocol: 'tcp', port: 80, bytes: 1, packets: 10, flows: 1, last_seen_at: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  it('reports for an edge what was observed of all its traffic, else mixed', () => {
    const { edges } = fold(
      [createConversation(), 'dropped', 'dropped'],
      [createConversation({ port: 80 }), 'dropped', 'rejected'],
      [createConversation(), 'accepted', 'allowed'],
      [createConversation({ port: 80 }), 'accepted', 'allowed'],
    );
    expect(edges.map(({ action }) => action)).toEqual(['mixed', 'allowed']);
  });

  it('tells the two directions apart', () => {
    const turned = createConversation({ source_workload_id: 'b', destination_workload_id: 'a' });
    expect(
      fold([createConversation(), 'observed'], [turned, 'observed']).edges.map((e) => [e.source, e.destination]),
    ).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
  });

  it('folds ends that are no workload into one peer for each network and kind', () => {
    const outside = { source_workload_id: null, source_internal: false };
    const { edges, peers } = fold(
      [createConversation({ ...outside, source_prefix: '203.0.113.0/24' }), 'dropped'],
      [createConversation({ ...outside, source_prefix: '198.51.100.0/24', bytes: 900 }), 'accepted'],
      [createConversation({ source_workload_id: null, source_prefix: '10.9.0.0/24' }), 'observed'],
      [createConversation({ ...outside, destination_workload_id: 'loose' }), 'observed'],
    );
    expect(peers.map(({ id, kind, network_id }) => [id, kind, network_id])).toEqual([
      ['external:c1', 'external', null],
      ['external:n1', 'external', 'n1'],
      ['internal:n1', 'internal', 'n1'],
    ]);
    expect(peers[1]?.prefixes.map(({ prefix }) => prefix)).toEqual(['198.51.100.0/24', '203.0.113.0/24']);
    expect(edges.map(({ source, destination, verdict }) => [source, destination, verdict])).toEqual([
      ['external:n1', 'b', 'dropped'],
      ['external:n1', 'b', 'accepted'],
      ['external:c1', 'loose', 'observed'],
      ['internal:n1', 'b', 'observed'],
    ]);
  });

  it('takes a workload that is gone for a host, and leaves out what has no workload at all', () => {
    const { edges } = fold([createConversation({ source_workload_id: 'gone' }), 'observed']);
    expect(edges[0]?.source).toBe('internal:n1');
    expect(
      fold([createConversation({ source_workload_id: 'gone', destination_workload_id: null }), 'observed']),
    ).toEqual({
      edges: [],
      edges_total: 0,
      sums: { bytes: 0, packets: 0, flows: 0 },
      peers: [],
    });
  });

  it('names the heaviest services and counts all', () => {
    const many = Array.from({ length: 40 }, (_, i): [Conversation, EdgeVerdict] => [
      createConversation({ port: 1000 + i, bytes: i }),
      'default',
    ]);
    const [edge] = fold(...many).edges;
    expect(edge?.services.map(({ port }) => port)).toEqual(
      Array.from({ length: MAX_EDGE_SERVICES }, (_, i) => 1039 - i),
    );
    expect([edge?.services_total, edge?.bytes]).toEqual([40, 780]);
  });

  it('loses nothing and does not depend on the order, for random conversations', () => {
    const ends = fc.constantFrom('a', 'b', 'c', 'loose', 'gone', null);
    const conversation = fc.record({
      source_workload_id: ends,
      destination_workload_id: ends,
      source_prefix: fc.constantFrom('10.0.0.0/24', '203.0.113.0/24', '198.51.100.0/24'),
      source_internal: fc.boolean(),
      destination_internal: fc.boolean(),
      port: fc.constantFrom(22, 53, 443, null),
      bytes: fc.nat(1000),
      flows: fc.nat(3),
    });
    const evaluated = fc.tuple(conversation.map(createConversation), fc.constantFrom(...EDGE_VERDICTS));
    fc.assert(
      fc.property(fc.array(evaluated, { maxLength: 60 }), (list) => {
        const folded = fold(...list);
        expect(fold(...[...list].reverse())).toEqual(folded);
        const known = (id: string | null) => id !== null && id !== 'gone';
        const placed = list.filter(([c]) => known(c.source_workload_id) || known(c.destination_workload_id));
        for (const field of ['bytes', 'packets', 'flows'] as const) {
          const sum = (items: readonly { bytes: number; packets: number; flows: number }[]) =>
            items.reduce((total, item) => total + item[field], 0);
          expect(sum(folded.edges)).toBe(sum(placed.map(([c]) => c)));
        }
        const ids = new Set(['a', 'b', 'c', 'loose', ...folded.peers.map(({ id }) => id)]);
        for (const { source, destination } of folded.edges)
          expect([ids.has(source), ids.has(destination)]).toEqual([true, true]);
        for (const peer of folded.peers) expect(peer.prefixes.length).toBeLessThanOrEqual(MAX_PEER_PREFIXES);
      }),
    );
  });
});

describe('foldGroups', () => {
  const ends = fc.constantFrom('a', 'b', 'c', 'd', 'gone', null);
  const conversation = fc.record({
    source_workload_id: ends,
    destination_workload_id: ends,
    source_prefix: fc.constantFrom('10.0.0.0/24', '203.0.113.0/24'),
    source_internal: fc.boolean(),
    destination_internal: fc.boolean(),
    port: fc.constantFrom(22, 443, null),
    bytes: fc.nat(1000),
    packets: fc.nat(100),
    flows: fc.nat(3),
  });
  const found = fc.array(fc.tuple(conversation.map(createConversation), fc.constantFrom(...EDGE_VERDICTS)), {
    maxLength: 60,
  });
  // Which group a workload is in; null: expanded, so that it is a node of its own.
  const grouping = fc.record({
    a: fc.constantFrom('one', 'two', null),
    b: fc.constantFrom('one', 'two', null),
    c: fc.constantFrom('one', 'two', null),
    d: fc.constantFrom('one', 'two', null),
  });
  const nodeIn = (groups: Record<string, string | null>) => (id: string) => (id === 'gone' ? null : (groups[id] ?? id));
  const sums = (items: readonly { bytes: number; packets: number; flows: number }[]) => {
    const of = (field: 'bytes' | 'packets' | 'flows') => items.reduce((total, item) => total + item[field], 0);
    return [of('bytes'), of('packets'), of('flows')];
  };

  it('has every conversation in exactly one edge: a brute-force sum of each pair and verdict is the same', () => {
    fc.assert(
      fc.property(found, grouping, fc.nat({ max: 5 }), (list, groups, most) => {
        const nodeOf = nodeIn(groups);
        const evaluated = toEvaluated(list);
        const { edges, outside, ...totals } = foldGroups(evaluated, nodeOf);
        expect(sums(edges)).toEqual(sums(list.map(([one]) => one)));
        expect(sums([totals.sums])).toEqual(sums(edges));
        expect(totals.edges_total).toBe(edges.length);
        // Edges that are left out are the last ones, and still count.
        expect(foldGroups(evaluated, nodeOf, most)).toEqual({ ...totals, outside, edges: edges.slice(0, most) });
        const getEndNode = (one: Conversation, end: 'source' | 'destination') =>
          (one[`${end}_workload_id`] !== null && nodeOf(one[`${end}_workload_id`] ?? '')) ||
          (one[`${end}_internal`] ? 'internal' : 'external');
        for (const edge of edges) {
          const own = list.filter(
            ([one, verdict]) =>
              verdict === edge.verdict &&
              getEndNode(one, 'source') === edge.source &&
              getEndNode(one, 'destination') === edge.destination,
          );
          expect(sums([edge])).toEqual(sums(own.map(([one]) => one)));
        }
        const keys = edges.map(({ source, destination, verdict }) => `${source} ${destination} ${verdict}`);
        expect(new Set(keys).size).toBe(keys.length);
        // External and other hosts exist once.
        const kinds = outside.map(({ kind }) => kind);
        expect(new Set(kinds).size).toBe(kinds.length);
      }),
    );
  });

  it('names the workloads at both ends of a service, and a prefix only where there is one and no workload', () => {
    const GROUPS = { a: 'one', b: 'one', c: 'two', d: null };
    fc.assert(
      fc.property(found, (list) => {
        const nodeOf = nodeIn(GROUPS);
        const { edges } = foldGroups(toEvaluated(list), nodeOf);
        const known = (id: string | null) => (id === null ? null : nodeOf(id));
        for (const edge of edges) {
          for (const service of edge.services) {
            for (const end of ['source', 'destination'] as const) {
              const node = (one: Conversation, side: typeof end) =>
                known(one[`${side}_workload_id`]) ?? (one[`${side}_internal`] ? 'internal' : 'external');
              const own = list
                .filter(([one, verdict]) => verdict === edge.verdict && one.port === service.port)
                .filter(([one]) => node(one, 'source') === edge.source && node(one, 'destination') === edge.destination)
                .map(([one]) => one);
              const ids = new Set(own.map((one) => one[`${end}_workload_id`]).filter((id) => known(id) !== null));
              const outside = own.filter((one) => known(one[`${end}_workload_id`]) === null);
              const prefixes = [...new Set(outside.map((one) => one[`${end}_prefix`]))];
              expect(service.ends?.[end]).toEqual({
                workload_ids: outside.length === 0 ? [...ids].sort() : [],
                prefix: ids.size === 0 && prefixes.length === 1 ? prefixes[0] : null,
              });
            }
          }
        }
      }),
    );
  });

  it('names no workloads of a service that has more than a link can hold', () => {
    const many = Array.from({ length: MAX_SERVICE_WORKLOADS + 1 }, (_, i) =>
      createConversation({ source_workload_id: `w${i}` }),
    );
    const { edges } = foldGroups(toEvaluated(many.map((one) => [one, 'observed'])), (id) =>
      id === 'b' ? 'two' : 'one',
    );
    expect(edges[0]?.services[0]?.ends).toEqual({
      source: { workload_ids: [], prefix: null },
      destination: { workload_ids: ['b'], prefix: null },
    });
  });

  it('sums up to the same whether groups are expanded or not', () => {
    fc.assert(
      fc.property(found, grouping, (list, groups) => {
        const folded = (nodeOf: (id: string) => string | null) => foldGroups(toEvaluated(list), nodeOf).edges;
        const collapsed = folded(nodeIn(groups));
        const expanded = folded((id) => (id === 'gone' ? null : id));
        for (const verdict of EDGE_VERDICTS) {
          const own = (edges: typeof collapsed) => sums(edges.filter((edge) => edge.verdict === verdict));
          expect(own(collapsed)).toEqual(own(expanded));
        }
      }),
    );
  });
});
