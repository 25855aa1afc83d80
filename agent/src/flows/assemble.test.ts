import { checkFlow } from '@fabric/agent-contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addRow, buildCaptureSnapshot, type CapturedRow } from '../../test/capture-snapshot';
import { Conversations } from '../capture/conversations';
import { FLOW_FLAGS } from '../capture/ebpf/layout';
import { ConntrackCollector, type ConntrackSnapshot, type RankedConnection } from '../conntrack/collector';
import { TextEntry } from '../conntrack/text-entry';
import { parseConntrackLine } from '../conntrack/text-parser';
import { parseHypervisorLine } from '../logs/hypervisor-line';
import { LogFlows } from '../logs/log-flows';
import { assembleFlows } from './assemble';
import { flowIdentity } from './candidate';

const { syn, opened, rst, ack, answered } = FLOW_FLAGS;

function buildLogFlows(...lines: string[]): LogFlows {
  const logs = new LogFlows();
  for (const line of lines) {
    const parsed = parseHypervisorLine(line);
    if (!parsed) throw new Error(`not a log line: ${line}`);
    logs.add(parsed.packet, 1500, 'firewall_log');
  }
  return logs;
}

function buildConntrackSnapshot(lines: string[], isFirst = false): ConntrackSnapshot {
  const connections = lines.map((line): RankedConnection => {
    const entry = parseConntrackLine(line);
    if (!entry) throw new Error(`not an entry: ${line}`);
    return { entry, newOriginal: entry.originalCounter, newReply: entry.replyCounter, isNew: true };
  });
  return { source: 'netlink', connections, total: connections.length, newBytes: 0, newPackets: 0, isFirst };
}

const line = (verdict: string, chain = 'tap101i0-OUT', source = '10.0.0.1') =>
  `101 6 ${chain} 20/Nov/2026:12:47:07 +0000 ${verdict}: IN=fwbr101i0 OUT=fwbr101i0 PHYSIN=tap101i0 PHYSOUT=fwln101i0 ` +
  `SRC=${source} DST=10.0.0.2 LEN=60 PROTO=TCP SPT=51234 DPT=443 `;
const request: CapturedRow = {
  source: '10.0.0.1',
  destination: '10.0.0.2',
  protocol: 6,
  sourcePort: 51234,
  destinationPort: 443,
  ifindex: 1,
  packets: 4,
  bytes: 296,
  flags: syn | opened,
};
const answer: CapturedRow = {
  ...request,
  source: '10.0.0.2',
  destination: '10.0.0.1',
  sourcePort: 443,
  destinationPort: 51234,
  isFromGuest: false,
};
const times = { now: 3000, since: 0 };

describe('assembleFlows', () => {
  it('gives a captured flow the verdict of the log, with its own counters', () => {
    const { flows, seen } = assembleFlows(
      {
        capture: buildCaptureSnapshot([request]),
        conntrack: null,
        logs: buildLogFlows(line('policy DROP')).all(),
        ...times,
      },
      100,
    );
    expect(flows).toHaveLength(1);
    expect(flows[0]).toMatchObject({
      decision: 'drop',
      packets: 4,
      bytes: 296,
      collector: 'ebpf',
      vmid: 101,
      state: 'SYN_SENT',
      raw: { chain: 'tap101i0-OUT', logged_packets: 1, excerpt: expect.stringContaining('policy DROP') },
    });
    expect(seen).toEqual({ flows: 1, packets: 4, bytes: 296 });
  });

  it('keeps both when a refused connection was answered, and folds when the answer is a reset', () => {
    const decisions = (answerFlags: number) =>
      assembleFlows(
        {
          capture: buildCaptureSnapshot([
            { ...request, flags: syn | opened | ack },
            { ...answer, flags: answerFlags },
          ]),
          conntrack: null,
          logs: buildLogFlows(line('REJECT')).all(),
          ...times,
        },
        100,
      ).flows.map((flow) => flow.decision);
    expect(decisions(syn | ack | answered)).toEqual(['reject', 'observed', 'observed']);
    expect(decisions(rst | ack)).toEqual(['reject', 'observed']);
  });

  it('reports a refusal whose packets never reached a guest from the log alone', () => {
    const logs = buildLogFlows(line('DROP', 'tap102i0-IN', '203.0.113.9'), line('DROP', 'tap102i0-IN', '203.0.113.9'));
    const { flows } = assembleFlows(
      { capture: buildCaptureSnapshot([request]), conntrack: null, logs: logs.all(), ...times },
      100,
    );
    expect(flows[0]).toMatchObject({ source_ip: '203.0.113.9', decision: 'drop', packets: 2, bytes: 120 });
    expect(flows[1]).toMatchObject({ source_ip: '10.0.0.1', decision: 'observed' });
  });

  it('does not apply a refusal to packets that reached a guest', () => {
    const delivered = { ...request, isFromGuest: false };
    const { flows } = assembleFlows(
      {
        capture: buildCaptureSnapshot([delivered]),
        conntrack: null,
        logs: buildLogFlows(line('DROP', 'tap101i0-IN')).all(),
        ...times,
      },
      100,
    );
    expect(flows.map(({ decision, packets }) => [decision, packets])).toEqual([
      ['drop', 1],
      ['observed', 4],
    ]);
  });

  it('believes the capture for counters and connection tracking for state', () => {
    const tracked =
      'ipv4 2 tcp 6 99 FIN_WAIT src=10.0.0.1 dst=10.0.0.2 sport=51234 dport=443 packets=3 bytes=180 ' +
      'src=10.0.0.2 dst=10.0.0.1 sport=443 dport=51234 packets=0 bytes=0 mark=0 use=1';
    const elsewhere = tracked.replaceAll('10.0.0.1', '10.9.9.9');
    const { flows } = assembleFlows(
      {
        capture: buildCaptureSnapshot([request]),
        conntrack: buildConntrackSnapshot([tracked, elsewhere]),
        logs: [],
        ...times,
      },
      100,
    );
    expect(flows).toHaveLength(2);
    expect(flows[0]).toMatchObject({ bytes: 296, packets: 4, state: 'FIN_WAIT', collector: 'ebpf' });
    expect(flows[1]).toMatchObject({ source_ip: '10.9.9.9', bytes: 180, collector: 'conntrack', initiator: 'source' });
  });

  it('counts each packet once, also one that comes after the dump and before the capture is read', async () => {
    // By heartbeat, what each connection sends before the dump, and between the dump and the drain.
    const packets = fc.record({ before: fc.integer({ min: 0, max: 2 }), between: fc.integer({ min: 0, max: 2 }) });
    const beats = fc.array(fc.tuple(packets, packets), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(beats, async (sent) => {
        const capture = buildCaptureSnapshot([]);
        // A query that is not answered, and a ping that is.
        const totals = { udp: 0, icmpv6: 0 };
        const reported = { udp: 0, icmpv6: 0 };
        const entry = new TextEntry();
        const counters = (count: number) => `packets=${count} bytes=${100 * count}`;
        const udp = () =>
          `ipv4 2 udp 17 9 src=10.0.0.1 dst=10.0.0.2 sport=5 dport=53 ${counters(totals.udp)} [UNREPLIED] ` +
          'src=10.0.0.2 dst=10.0.0.1 sport=53 dport=5 packets=0 bytes=0 mark=0';
        const ping = () =>
          `ipv6 10 icmpv6 58 9 src=fd00::1 dst=fd00::2 type=128 code=0 id=7 ${counters(totals.icmpv6 / 2)} ` +
          `src=fd00::2 dst=fd00::1 type=129 code=0 id=7 ${counters(totals.icmpv6 / 2)} mark=0`;
        const tracked = new ConntrackCollector(null, [
          {
            name: 'file',
            dump: async (visit) => {
              if (totals.udp > 0 && entry.read(udp())) visit(entry);
              if (totals.icmpv6 > 0 && entry.read(ping())) visit(entry);
            },
          },
        ]);
        const add = (row: Omit<CapturedRow, 'ifindex' | 'bytes'>): void =>
          addRow(capture.table, { ...row, ifindex: 1, bytes: 100 * row.packets });
        const send = (queries: number, pings: number): void => {
          totals.udp += queries;
          totals.icmpv6 += 2 * pings;
          const [query, echo] = [
            { protocol: 17, packets: queries },
            { protocol: 58, packets: pings },
          ];
          if (queries > 0)
            add({ source: '10.0.0.1', destination: '10.0.0.2', sourcePort: 5, destinationPort: 53, ...query });
          if (pings > 0) {
            add({ source: 'fd00::1', destination: 'fd00::2', icmp: { type: 128, code: 0 }, ...echo });
            add({
              source: 'fd00::2',
              destination: 'fd00::1',
              icmp: { type: 129, code: 0 },
              isFromGuest: false,
              ...echo,
            });
          }
        };
        await tracked.snapshot(10);
        for (const [query, echo] of sent) {
          send(query.before, echo.before);
          const conntrack = await tracked.snapshot(10);
          send(query.between, echo.between);
          const conversations = new Conversations(capture.table);
          const { flows } = assembleFlows(
            { capture: { ...capture, conversations }, conntrack, logs: [], ...times },
            100,
          );
          for (const { protocol, delta_packets, packets } of flows)
            reported[protocol as 'udp' | 'icmpv6'] += delta_packets ?? packets ?? 0;
          capture.table.startInterval();
        }
        expect(reported).toEqual(totals);
      }),
    );
  });

  it('merges one connection tracked in two zones, and adds up pings that share an identity', () => {
    const udp =
      'ipv4 2 udp 17 9 src=10.0.0.1 dst=10.0.0.2 sport=5 dport=53 packets=2 bytes=100 [UNREPLIED] ' +
      'src=10.0.0.2 dst=10.0.0.1 sport=53 dport=5 packets=0 bytes=0 mark=0 use=1';
    const ping = (id: number) =>
      `ipv4 2 icmp 1 9 src=10.0.0.1 dst=10.0.0.2 type=8 code=0 id=${id} packets=2 bytes=168 [UNREPLIED] ` +
      `src=10.0.0.2 dst=10.0.0.1 type=0 code=0 id=${id} packets=0 bytes=0 mark=0 use=1`;
    const { flows } = assembleFlows(
      {
        capture: null,
        conntrack: buildConntrackSnapshot([udp, `${udp} zone=3`, ping(1), ping(2)]),
        logs: [],
        ...times,
      },
      100,
    );
    expect(flows.map(({ protocol, packets, bytes }) => [protocol, packets, bytes])).toEqual([
      ['icmp', 4, 336],
      ['udp', 2, 100],
    ]);
  });

  it('sends every denied flow first, then the largest, some new ones, and accounts for the rest', () => {
    const rows = Array.from(
      { length: 400 },
      (_, i): CapturedRow => ({
        ...request,
        sourcePort: 1000 + i,
        packets: 1,
        bytes: i < 200 ? 10_000 + i : 100 + i,
        first: i < 200 ? 500 : 2000 + i,
        last: 3000,
      }),
    );
    const capture = buildCaptureSnapshot(rows, 1000);
    const logs = buildLogFlows(line('DROP', 'tap102i0-IN', '203.0.113.9'));
    const { flows, seen, left_out } = assembleFlows(
      { capture, conntrack: null, logs: logs.all(), now: 3000, since: 1000 },
      101,
    );
    expect(flows).toHaveLength(101);
    expect(flows[0]?.decision).toBe('drop');
    const largest = flows.slice(1, 91).map((flow) => flow.source_port);
    expect(new Set(largest)).toEqual(new Set(Array.from({ length: 90 }, (_, i) => 1199 - i)));
    expect(flows.slice(91).every((flow) => (flow.source_port as number) >= 1200)).toBe(true);
    expect(seen.flows).toBe(401);
    expect(left_out.flows).toBe(300);
  });

  it('sums up ICMP messages between two ends, says what is new, and keeps the type of the request', () => {
    const ends = { source: '10.0.0.1', destination: '10.0.0.2', protocol: 1, ifindex: 1 };
    const ping: CapturedRow = { ...ends, icmp: { type: 8, code: 0 }, packets: 2, bytes: 196 };
    const error: CapturedRow = { ...ends, icmp: { type: 3, code: 3 }, packets: 5, bytes: 500 };
    const of = (...rows: CapturedRow[]) =>
      assembleFlows(
        { capture: buildCaptureSnapshot(rows), conntrack: null, logs: buildLogFlows().all(), ...times },
        100,
      ).flows;
    expect(of(ping, error)).toMatchObject([
      { icmp_type: 8, icmp_code: 0, packets: 7, bytes: 696, delta_packets: 7, delta_bytes: 696 },
    ]);
    expect(of(error)).toMatchObject([{ icmp_type: 3, packets: 5, delta_packets: 5, delta_bytes: 500 }]);
  });

  it('never repeats an identity, never exceeds the limit, loses no byte, and passes the contract', () => {
    const rows = fc.array(
      fc.record({
        source: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'),
        destination: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.0.0.3'),
        protocol: fc.constantFrom(6, 17, 47),
        sourcePort: fc.constantFrom(1, 2),
        destinationPort: fc.constantFrom(443, 53),
        ifindex: fc.integer({ min: 1, max: 3 }),
        isFromGuest: fc.boolean(),
        vlan: fc.constantFrom(0, 5),
        packets: fc.integer({ min: 1, max: 9 }),
        bytes: fc.integer({ min: 40, max: 9000 }),
        flags: fc.integer({ min: 0, max: 0x3ff }),
      }),
      { maxLength: 60 },
    );
    const lines = fc.array(fc.constantFrom(line('DROP'), line('ACCEPT'), line('REJECT', 'x-IN', '10.0.0.3')));
    fc.assert(
      fc.property(rows, lines, fc.integer({ min: 1, max: 40 }), (captured, logged, limit) => {
        const noPorts = captured.map((row) =>
          row.protocol === 47 ? { ...row, sourcePort: 0, destinationPort: 0 } : row,
        );
        const logs = buildLogFlows(...logged);
        const result = assembleFlows(
          { capture: buildCaptureSnapshot(noPorts), conntrack: null, logs: logs.all(), ...times },
          limit,
        );
        expect(result.flows.length).toBeLessThanOrEqual(limit);
        expect(new Set(result.flows.map(flowIdentity)).size).toBe(result.flows.length);
        const sent = result.flows.reduce((sum, flow) => sum + (flow.delta_bytes ?? flow.bytes ?? 0), 0);
        expect(sent + result.left_out.bytes).toBe(result.seen.bytes);
        expect(result.flows.length + result.left_out.flows).toBe(result.seen.flows);
        for (const flow of result.flows)
          expect(checkFlow(JSON.parse(JSON.stringify(flow)))).toMatchObject({ ok: true });
      }),
    );
  });
});
