import { describe, expect, it } from 'vitest';
import { classifyPairs, formatService } from './classify';
import type { ObservedEnd, ObservedPair, SuggestionWorkload } from './observed';

const workload = (n: number, values: Partial<SuggestionWorkload> = {}): SuggestionWorkload => ({
  id: `w${n}`,
  name: `vm-${n}`,
  tags: [],
  endpoint: `vm-${n}`,
  addresses: [`10.0.0.${n}`],
  in_scope: true,
  ...values,
});
const WORKLOADS = [1, 2, 3, 4, 5].map((n) => workload(n));

const end = (n: number, port: number | null = null): ObservedEnd => ({
  workload_id: `w${n}`,
  ip: `10.0.0.${n}`,
  port,
  external: false,
});
const outside = (ip: string, port: number | null = null): ObservedEnd => ({
  workload_id: null,
  ip,
  port,
  external: true,
});

const pair = (client: ObservedEnd, server: ObservedEnd, values: Partial<ObservedPair> = {}): ObservedPair => ({
  client,
  server,
  protocol: 'tcp',
  service_port: server.port,
  is_client_known: true,
  icmp_type: null,
  action: 'allowed',
  answered: true,
  conversations: 3,
  held_out: 1,
  bytes: 100,
  first_seen: 0,
  last_seen: 1,
  ...values,
});

const classify = (pairs: readonly ObservedPair[], workloads = WORKLOADS) =>
  classifyPairs(pairs, workloads, new Set(['10.0.0.255']));
const describeTalks = (pairs: readonly ObservedPair[]) =>
  classify(pairs).talks.map(
    ({ client, server, service }) =>
      `${client.workload_id ?? client.ip} ${server.workload_id ?? server.ip} ${formatService(service)}`,
  );
const findReason = (one: ObservedPair, workloads = WORKLOADS) => classify([one], workloads).left_out[0]?.reason ?? null;

describe('conversations', () => {
  it.each<[string, ObservedPair]>([
    ['blocked', pair(end(1), end(2, 443), { action: 'dropped' })],
    ['blocked', pair(end(1), end(2, 443), { action: 'rejected' })],
    ['unanswered', pair(end(1), end(2, 443), { action: 'unknown', answered: false })],
    ['suspicious', pair(outside('203.0.113.9'), end(2, 22))],
    ['multicast', pair(end(1), outside('224.0.0.251', 5353), { protocol: 'udp' })],
    ['multicast', pair(end(1), outside('10.0.0.255', 137), { protocol: 'udp' })],
    ['local', pair(end(1), outside('255.0.0.1', 67), { protocol: 'udp' })],
    ['local', pair(end(1), outside('169.254.1.1', 80))],
    ['protocol', pair(end(1), end(2), { protocol: 'gre' })],
    ['protocol', pair(end(1), end(2), { protocol: 'icmp' })],
    ['no_service', pair(end(1), end(2), { service_port: null })],
    ['other_address', pair(end(1), { ...end(2, 443), ip: '10.9.9.9' })],
    ['unresolved', pair(outside('203.0.113.9'), outside('203.0.113.10', 443))],
  ])('have no rule for the reason %s', (reason, one) => {
    expect(findReason(one)).toBe(reason);
    expect(classify([one]).talks).toEqual([]);
  });

  it('have no rule when neither end is in the scope', () => {
    const workloads = [workload(1, { in_scope: false }), workload(2, { in_scope: false })];
    expect(findReason(pair(end(1), end(2, 443)), workloads)).toBe('unresolved');
    expect(findReason(pair(end(1), end(2, 443)), [workload(1), workload(2, { in_scope: false })])).toBeNull();
  });

  it('have a rule when a datagram has no answer, or an unknown workload is only an address', () => {
    const stranger = { ...end(9, 514), workload_id: 'w9' };
    expect(describeTalks([pair(end(1), stranger, { protocol: 'udp', action: 'unknown', answered: false })])).toEqual([
      'w1 10.0.0.9 udp/514',
    ]);
  });

  it('count in full, in rules or left out', () => {
    const pairs = [
      pair(end(1), end(2, 443)),
      pair(end(1), end(2, 80), { action: 'dropped' }),
      pair(end(2), end(3, 53)),
    ];
    const { talks, left_out } = classify([...pairs, ...pairs]);
    const counted = [
      ...talks.map((one) => one.conversations + one.held_out),
      ...left_out.map((one) => one.conversations),
    ];
    expect(counted).toEqual([8, 8, 8]);
  });
});

describe('the end that serves', () => {
  const unsure = (client: ObservedEnd, server: ObservedEnd) =>
    pair(client, server, { is_client_known: false, service_port: null });

  it('answers the one that called, whatever the ports', () => {
    expect(describeTalks([pair(end(1, 443), end(2, 50_000), { service_port: 50_000 })])).toEqual(['w1 w2 tcp/50000']);
  });

  it('has the port of a known service, if the other has none', () => {
    expect(describeTalks([unsure(end(1, 5432), end(2, 20_000))])).toEqual(['w2 w1 tcp/5432']);
  });

  it('has several callers', () => {
    const callers = [2, 3, 4].map((n) => unsure(end(1, 40_000), end(n, 50_000 + n)));
    expect(describeTalks(callers)).toEqual(['w2 w1 tcp/40000', 'w3 w1 tcp/40000', 'w4 w1 tcp/40000']);
    expect(findReason(unsure(end(1, 40_000), end(2, 50_000)))).toBe('no_service');
  });

  it('has no rule for ports that it opens for single conversations', () => {
    const open = (count: number, conversations: number) =>
      Array.from({ length: count }, (_, n) => pair(end(1), end(2, 50_000 + n), { conversations, held_out: 0 }));
    expect(classify(open(10, 1)).left_out.map(({ reason }) => reason)).toEqual(Array(10).fill('dynamic_ports'));
    expect(classify(open(9, 1)).talks).toHaveLength(9);
    expect(classify(open(10, 3)).talks).toHaveLength(10);
  });
});

describe('a scan', () => {
  const tries = (count: number, from: ObservedEnd) =>
    Array.from({ length: count }, (_, n) => pair(from, end(2, 1_000 + n), { action: 'unknown', answered: false }));

  it('gives no rule, also where it found something', () => {
    const found = pair(end(1), end(2, 8080), { conversations: 1, held_out: 0 });
    expect(classify([...tries(15, end(1)), found]).talks).toEqual([]);
    expect(classify([...tries(14, end(1)), found]).talks).toHaveLength(1);
  });

  it('leaves what the scanning workload uses otherwise, but nothing from outside', () => {
    const [work, strange] = [pair(end(1), end(2, 8080)), pair(outside('203.0.113.9'), end(2, 8080))];
    expect(classify([...tries(20, end(1)), work]).talks).toHaveLength(1);
    expect(classify([...tries(20, outside('203.0.113.9')), strange]).talks).toEqual([]);
  });
});
