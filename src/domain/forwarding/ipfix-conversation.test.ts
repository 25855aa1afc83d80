import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IpfixRecord } from './ipfix';
import { addExported, type ExportedCounts, getProtocolNumber, toIpfixRecords } from './ipfix-conversation';
import type { ForwardedConversation } from './record';

const AT = '2026-01-31T12:00:00.000Z';
const makeEnd = (ip: string, port: number | null) => ({ ip, port, workload_id: null, workload_name: null, cidr: null });
const make = (values: Partial<ForwardedConversation> = {}): ForwardedConversation => ({
  ...{ id: 'id', revision: 1, cluster_id: 'c', cluster_name: null, protocol: 'tcp', service_port: 443 },
  ...{ client: makeEnd('10.0.0.9', 40_000), server: makeEnd('10.0.0.10', 443), icmp_type: null, icmp_code: null },
  ...{ action: 'allowed', decision: 'observed', bytes: null, packets: null },
  ...{ client_bytes: null, client_packets: null, server_bytes: null, server_packets: null },
  ...{ first_seen_at: AT, last_seen_at: AT, duration_ms: 0, nodes: [], ...values },
});
const swap = ({ client, server, ...one }: ForwardedConversation): ForwardedConversation => ({
  ...{ ...one, client: server, server: client },
  ...{ client_bytes: one.server_bytes, client_packets: one.server_packets },
  ...{ server_bytes: one.client_bytes, server_packets: one.client_packets },
});
const sumFrom = (records: readonly IpfixRecord[], ip: string) =>
  records
    .filter(({ source_ip }) => source_ip === ip)
    .reduce(
      (sum, { counters }) => ({
        bytes: sum.bytes + (counters?.bytes ?? 0),
        packets: sum.packets + (counters?.packets ?? 0),
      }),
      { bytes: 0, packets: 0 },
    );

describe('toIpfixRecords', () => {
  it('sends only what is new: records of all revisions add up to the last one, whichever end is the client', () => {
    const growth = fc.nat({ max: 2 ** 40 });
    const step = fc.record({ cb: growth, cp: growth, sb: growth, sp: growth, isSwapped: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        const total = { client_bytes: 0, client_packets: 0, server_bytes: 0, server_packets: 0 };
        const received: IpfixRecord[] = [];
        let before: ExportedCounts | null = null;
        for (const { cb, cp, sb, sp, isSwapped } of steps) {
          total.client_bytes += cb;
          total.client_packets += cp;
          total.server_bytes += sb;
          total.server_packets += sp;
          const conversation = isSwapped ? swap(make(total)) : make(total);
          const { records, exported } = toIpfixRecords(conversation, before);
          received.push(...records);
          before = exported;
          expect(toIpfixRecords(conversation, before).records, 'the same again').toEqual([]);
        }
        expect(sumFrom(received, '10.0.0.9')).toEqual({ bytes: total.client_bytes, packets: total.client_packets });
        expect(sumFrom(received, '10.0.0.10')).toEqual({ bytes: total.server_bytes, packets: total.server_packets });
      }),
    );
  });

  it('makes one record for each direction in which something was seen', () => {
    const counts = { client_bytes: 100, client_packets: 2, server_bytes: 300, server_packets: 3 };
    const { records } = toIpfixRecords(make(counts), null);
    expect(records).toMatchObject([
      { source_ip: '10.0.0.9', source_port: 40_000, destination_port: 443, counters: { bytes: 100, packets: 2 } },
      { source_ip: '10.0.0.10', source_port: 443, destination_port: 40_000, counters: { bytes: 300, packets: 3 } },
    ]);
    expect(toIpfixRecords(make({ ...counts, server_bytes: null, server_packets: null }), null).records).toHaveLength(1);
  });

  it('sends a conversation without counters once, with its action', () => {
    const dropped = make({ action: 'dropped', decision: 'drop' });
    const { records, exported } = toIpfixRecords(dropped, null);
    expect(records).toMatchObject([{ source_ip: '10.0.0.9', counters: null, status: 130 }]);
    expect(toIpfixRecords(dropped, exported).records).toEqual([]);
    const statuses = ['allowed', 'rejected', 'unknown'].map(
      (action) => toIpfixRecords(make({ action }), null).records[0]?.status,
    );
    expect(statuses).toEqual([64, 129, 0]);
  });

  it('waits until a total that became smaller exceeds what was sent', () => {
    const { exported } = toIpfixRecords(make({ client_bytes: 100, client_packets: 10 }), null);
    const smaller = toIpfixRecords(make({ client_bytes: 60, client_packets: 6 }), exported);
    expect(smaller.records).toEqual([]);
    const { records } = toIpfixRecords(make({ client_bytes: 130, client_packets: 13 }), smaller.exported);
    expect(records).toMatchObject([{ counters: { bytes: 30, packets: 3 } }]);
  });

  it('counts parts that turned out to be one conversation as sent', () => {
    const request = toIpfixRecords(make({ client_bytes: 100, client_packets: 1 }), null).exported;
    const answer = toIpfixRecords(swap(make({ server_bytes: 300, server_packets: 3 })), null).exported;
    const whole = make({ client_bytes: 100, client_packets: 1, server_bytes: 320, server_packets: 4 });
    const { records } = toIpfixRecords(whole, addExported([request, answer]));
    expect(records).toMatchObject([{ source_ip: '10.0.0.10', counters: { bytes: 20, packets: 1 } }]);
  });

  it('has type and code of ICMP, of the answer its own type', () => {
    const ends = { client: makeEnd('10.0.0.9', null), server: makeEnd('10.0.0.10', null) };
    const counts = { client_bytes: 84, client_packets: 1, server_bytes: 84, server_packets: 1 };
    const icmp = (protocol: string, icmp_type: number | null, icmp_code: number | null) =>
      toIpfixRecords(make({ ...ends, ...counts, protocol, icmp_type, icmp_code }), null).records.map((one) => one.icmp);
    expect(icmp('icmp', 8, 0)).toEqual([
      { type: 8, code: 0 },
      { type: 0, code: 0 },
    ]);
    expect(icmp('icmpv6', 128, 0)).toEqual([
      { type: 128, code: 0 },
      { type: 129, code: 0 },
    ]);
    expect(icmp('icmp', 3, 4)).toEqual([{ type: 3, code: 4 }, null]);
    expect(icmp('icmp', null, null)).toEqual([null, null]);
  });
});

describe('getProtocolNumber', () => {
  it('knows the names that agents report', () => {
    const names = ['tcp', 'icmpv6', 'ipip', 'gre', '99', 'no-protocol'];
    expect(names.map(getProtocolNumber)).toEqual([6, 58, 4, 47, 99, 255]);
  });
});
