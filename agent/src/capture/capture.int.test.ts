import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, encodeIpv6, frames, type Ipv6Frame, ipv6Frames } from '../../test/frames';
import { type Guest, HypervisorNode } from '../../test/hypervisor-node';
import { run } from '../../test/network-namespaces';
import { describeAsRoot } from '../../test/requirements';
import { sendFrames } from '../../test/send-frames';
import { type DumpedFlows, flowKey, Tcpdump } from '../../test/tcpdump';
import { toCaptureCandidate } from '../flows/capture-flows';
import { hasPorts, protocolName } from '../net/protocols';
import { libc } from '../sys/libc';
import { Capture, type CaptureSource } from './capture';
import { EbpfCapture } from './ebpf/collector';
import { type FlowTable, WORD } from './flow-table';
import { InterfaceWatch } from './interface-watch';
import { RingCapture } from './ring/collector';

/** The kernel drops tagged frames shorter than this before any capture sees them. */
const SHORTEST_TAGGED = 20;

/** Bridges report multicast memberships whenever they like, also between the start of tcpdump and of the capture. */
const IGMP = 2;
const ICMP = 1;

/** Rows of one interface and direction, in the words of tcpdump. */
function toDumpedFlows(table: FlowTable, ifindex: number, isFromGuest: boolean): DumpedFlows {
  const flows: DumpedFlows = new Map();
  const swap = (port: number) => ((port & 255) << 8) | (port >> 8);
  for (let row = 0; row < table.size; row += 1) {
    if (table.word(row, WORD.ifindex) !== ifindex || table.isFromGuest(row) !== isFromGuest) continue;
    const protocol = table.protocol(row);
    // The guests' own kernels send IPv6 on their own initiative (neighbor discovery, multicast memberships).
    if (protocol === IGMP || table.address(row, WORD.source).includes(':')) continue;
    const ports = table.word(row, WORD.ports);
    const end = (part: typeof WORD.source | typeof WORD.destination, port: number) =>
      `${table.address(row, part)}${hasPorts(protocol) && ports !== 0 ? `.${swap(port)}` : ''}`;
    const key = flowKey(
      protocolName(protocol),
      end(WORD.source, ports & 0xffff),
      end(WORD.destination, ports >>> 16),
      table.vlan(row),
    );
    const known = flows.get(key) ?? { packets: 0, bytes: 0 };
    flows.set(key, {
      packets: known.packets + (table.packets[row] as number),
      bytes: known.bytes + (table.bytes[row] as number),
    });
  }
  return flows;
}

async function generateTraffic(node: HypervisorNode, from: Guest, to: Guest): Promise<void> {
  const server = spawn('ip', ['netns', 'exec', to.namespace, 'iperf3', '-s', '-1', '--forceflush'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(server.stdout, 'data');
  run(`ip netns exec ${from.namespace} iperf3 -c ${to.address} -n 2M -P 3`);
  await once(server, 'close');
  run(`ip netns exec ${from.namespace} ping -q -c 5 -i 0.01 ${to.address}`);
  // Larger than the link: fragments.
  run(`ip netns exec ${from.namespace} ping -q -c 3 -i 0.01 -s 4000 ${to.address}`);
  node.namespaces.inside(from.namespace, () => {
    const udp = (tags: { ethertype: number; tci: number }[], port: number) =>
      encodeFrame({
        tags,
        ethertype: 0x0800,
        version: 4,
        headerWords: 5,
        protocol: 17,
        fragment: 0,
        source: [10, 0, 9, 1],
        destination: [10, 0, 9, 2],
        transport: [port >> 8, port & 255, 0x30, 0x39, 0, 24, 0, 0, ...Array<number>(16).fill(7)],
        keep: 2000,
      });
    const some = [];
    for (let i = 0; i < 300; i += 1)
      some.push(udp([], 20_000 + (i % 30)), udp([{ ethertype: 0x8100, tci: 5 + (i % 3) }], 30_000));
    sendFrames('eth0', some);
  });
}

const ways: [string, () => CaptureSource][] = [
  ['eBPF', () => new EbpfCapture()],
  ['packet ring', () => new RingCapture()],
];

describeAsRoot(
  'ip',
  'tcpdump',
  'iperf3',
  'ping',
)('packet capture', () => {
  let node: HypervisorNode;
  let first: Guest;
  let second: Guest;
  let container: Guest;
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-capture-'));
    node = new HypervisorNode();
    first = node.addGuest({ vmid: 100, nic: 0, kind: 'tap', address: '10.0.0.100', isFirewalled: true });
    second = node.addGuest({ vmid: 101, nic: 0, kind: 'tap', address: '10.0.0.101', isFirewalled: false });
    container = node.addGuest({ vmid: 102, nic: 1, kind: 'veth', address: '10.0.0.102', isFirewalled: false });
  });
  afterAll(() => {
    node.destroy();
    rmSync(directory, { recursive: true });
  });

  describe.each(ways)('%s', (_, make) => {
    it('counts exactly what tcpdump sees, per interface and direction', async () => {
      node.namespaces.enter(node.name);
      const capture = new Capture(Date.now, new InterfaceWatch(), [make]);
      const dumps: { guest: Guest; isFromGuest: boolean; dump: Tcpdump }[] = [];
      try {
        for (const guest of [first, second, container]) {
          for (const direction of ['in', 'out'] as const) {
            const file = join(directory, `${guest.interface}-${direction}.pcap`);
            const dump = await Tcpdump.start(guest.interface, direction, file);
            dumps.push({ guest, isFromGuest: direction === 'in', dump });
          }
        }
        capture.start();
        expect(capture.interfaces).toBe(3);
        await generateTraffic(node, first, second);
        await generateTraffic(node, container, first);
        node.namespaces.enter(node.name);
        await sleep(200);
        await capture.drain();

        const table = capture.snapshot()?.table as FlowTable;
        const names = capture.snapshot()?.names as Map<number, string>;
        for (const { guest, isFromGuest, dump } of dumps) {
          const ifindex = [...names].find(([, name]) => name === guest.interface)?.[0] as number;
          const expected = await dump.stop();
          expect(expected.size).toBeGreaterThanOrEqual(5);
          expect(toDumpedFlows(table, ifindex, isFromGuest)).toEqual(expected);
        }
        expect(capture.state()).toMatchObject({ state: 'active', counts: { table_full_packets: 0 } });
      } finally {
        for (const { dump } of dumps) dump.kill();
        await capture.stop();
        node.namespaces.leave();
      }
    }, 60_000);

    it('counts IPv6 with ports and ICMP types, behind extension headers too, and takes no ports from padding', async () => {
      node.namespaces.enter(node.name);
      const index = libc().if_nametoindex(second.interface);
      const capture = new Capture(Date.now, new InterfaceWatch(() => new Map([[index, second.interface]])), [make]);
      capture.start();
      const address = (last: number) => [0xfd, 0, 0xc, 1, ...Array<number>(11).fill(0), last];
      const [source, destination] = [address(1), address(2)];
      const ports = [0x9c, 0x40, 0x01, 0xbb];
      const tcp = (flags: number) => [...ports, ...Array<number>(8).fill(0), 0x50, flags, 0, 0, 0, 0, 0, 0];
      const udp = [...ports, 0, 12, 0, 0, 1, 2, 3, 4];
      const options = { number: 0, units: 0, offset: 0, bytes: 8 };
      const fragment = (offset: number) => ({ number: 44, units: 0, offset, bytes: 8 });
      const frame = (changes: Partial<Ipv6Frame>) =>
        encodeIpv6({ source, destination, protocol: 17, transport: udp, ...changes });
      const sent = [
        ...[frame({ protocol: 6, transport: tcp(2) }), frame({ protocol: 6, transport: tcp(16) })],
        ...[frame({}), frame({ extensions: [options, fragment(1)] }), frame({ extensions: [fragment(8)] })],
        frame({ protocol: 58, transport: [128, 0, 0, 0, 0, 1, 0, 1] }),
        frame({ vlan: 7 }),
        // The IP header says that there are six bytes, too few for UDP; the rest of the frame is padding.
        frame({ source: address(3), lengthError: 6 - udp.length }),
        encodeFrame({
          ...{ tags: [], ethertype: 0x0800, version: 4, headerWords: 5, protocol: 17, fragment: 0, keep: 2000 },
          ...{ source: [10, 0, 9, 7], destination: [10, 0, 9, 8], transport: udp, lengthError: 2 - udp.length },
        }),
      ];
      try {
        node.namespaces.inside(second.namespace, () => sendFrames('eth0', sent));
        node.namespaces.enter(node.name);
        await sleep(200);
        await capture.drain();
        const snapshot = capture.snapshot();
        if (!snapshot) throw new Error('no capture');
        const { conversations, table } = snapshot;
        const flows = Array.from({ length: conversations.size }, (_, at) => toCaptureCandidate(snapshot, at).flow)
          .filter(({ source_ip }) => /^fd00:c01::|^10\.0\.9\.7$/.test(source_ip))
          .map(
            ({ source_ip, destination_ip, protocol, source_port, destination_port, icmp_type, packets, vlan, state }) =>
              [
                source_ip,
                destination_ip,
                protocol,
                source_port ?? icmp_type ?? '-',
                destination_port ?? '-',
                packets,
                vlan ?? 0,
                state,
              ].join(' '),
          );
        expect(flows.sort()).toEqual(
          [
            'fd00:c01::1 fd00:c01::2 tcp 40000 443 2 0 ESTABLISHED',
            // The tag makes a row of its own and no conversation of its own; the counters are those of the larger row.
            'fd00:c01::1 fd00:c01::2 udp 40000 443 2 0 UNREPLIED',
            'fd00:c01::1 fd00:c01::2 udp - - 1 0 UNREPLIED',
            'fd00:c01::1 fd00:c01::2 icmpv6 128 - 1 0 ',
            'fd00:c01::3 fd00:c01::2 udp - - 1 0 UNREPLIED',
            '10.0.9.7 10.0.9.8 udp - - 1 0 UNREPLIED',
          ].sort(),
        );
        const tagged = Array.from({ length: table.size }, (_, row) => row).filter((row) => table.vlan(row) === 7);
        expect(tagged.map((row) => [table.address(row, WORD.source), table.packets[row]])).toEqual([
          ['fd00:c01::1', 1],
        ]);
      } finally {
        await capture.stop();
        node.namespaces.leave();
      }
    });

    it('reads random frames, tagged or not, as the parser does', async () => {
      node.namespaces.enter(node.name);
      // The bridge floods frames for unknown hosts to the other guests; only the sender's side is of interest.
      // Without neighbors the guest's own kernel sends nothing: a frame of it between the two last counts would be in one only.
      run(`ip -n ${second.namespace} link set eth0 arp off`);
      const index = libc().if_nametoindex(second.interface);
      const capture = new Capture(Date.now, new InterfaceWatch(() => new Map([[index, second.interface]])), [make]);
      capture.start();
      try {
        const sample = fc
          .sample(fc.oneof(frames.map(encodeFrame), ipv6Frames), { numRuns: 800, seed: 7 })
          .filter((bytes) => bytes.length >= SHORTEST_TAGGED);
        const file = join(directory, 'random.pcap');
        const dump = await Tcpdump.start(second.interface, 'in', file);
        node.namespaces.inside(second.namespace, () => sendFrames('eth0', sample));
        node.namespaces.enter(node.name);
        await sleep(200);
        await capture.drain();
        await dump.stop();
        const { counts } = capture.state();
        const table = capture.snapshot()?.table as FlowTable;
        let packets = (counts?.not_ip_packets ?? 0) + (counts?.malformed_packets ?? 0);
        for (let row = 0; row < table.size; row += 1)
          if (table.isFromGuest(row)) packets += table.packets[row] as number;
        const seen = dump.frames();
        expect(seen).toBe(sample.length);
        expect(packets).toBe(seen);
      } finally {
        run(`ip -n ${second.namespace} link set eth0 arp on`);
        await capture.stop();
        node.namespaces.leave();
      }
    });
  });

  it('counts a packet between two guests once, for the guest that sent it', async () => {
    node.namespaces.enter(node.name);
    const capture = new Capture();
    capture.start();
    try {
      run(`ip netns exec ${first.namespace} ping -q -c 4 -i 0.01 ${second.address}`);
      await capture.drain();
      const snapshot = capture.snapshot();
      if (!snapshot) throw new Error('no capture');
      const flows = Array.from({ length: snapshot.conversations.size }, (_, i) => toCaptureCandidate(snapshot, i).flow);
      const requests = flows.filter((flow) => flow.icmp_type === 8);
      expect(requests).toHaveLength(1);
      expect(requests[0]).toMatchObject({
        source_ip: first.address,
        destination_ip: second.address,
        packets: 4,
        bytes: 4 * 98,
        vmid: 100,
        nic: 0,
        interface: 'tap100i0',
      });
      expect(flows.find((flow) => flow.icmp_type === 0)).toMatchObject({
        vmid: 101,
        interface: 'tap101i0',
        packets: 4,
      });
    } finally {
      await capture.stop();
      node.namespaces.leave();
    }
  });

  it('follows an interface that is recreated under the same name', async () => {
    node.namespaces.enter(node.name);
    const watch = new InterfaceWatch();
    const capture = new Capture(Date.now, watch);
    capture.start();
    const isCaptured = async (name: string) => {
      const index = libc().if_nametoindex(name);
      for (let i = 0; i < 150 && watch.present.get(index) !== name; i += 1) await sleep(100);
      expect(watch.present.get(index)).toBe(name);
    };
    try {
      const guest = { vmid: 103, nic: 0, kind: 'tap', address: '10.0.0.103', isFirewalled: false } as const;
      const added = node.addGuest(guest);
      await isCaptured('tap103i0');
      run(`ip netns exec ${added.namespace} ping -q -c 2 -i 0.01 ${second.address}`);
      node.ip('link del tap103i0');
      node.ip(`link add tap103i0 type veth peer name eth0 netns ${added.namespace}`);
      node.ip('link set tap103i0 master vmbr0 up');
      run(`ip -n ${added.namespace} link set eth0 up`);
      run(`ip -n ${added.namespace} addr add 10.0.0.103/24 dev eth0`);
      await isCaptured('tap103i0');
      run(`ip netns exec ${added.namespace} ping -q -c 3 -i 0.01 ${second.address}`);
      await capture.drain();
      const snapshot = capture.snapshot();
      if (!snapshot) throw new Error('no capture');
      const sent = [];
      for (let row = 0; row < snapshot.table.size; row += 1) {
        const name = snapshot.names.get(snapshot.table.word(row, WORD.ifindex));
        if (name === 'tap103i0' && snapshot.table.isFromGuest(row) && snapshot.table.protocol(row) === ICMP)
          sent.push(snapshot.table.packets[row]);
      }
      expect(sent.sort()).toEqual([2, 3]);
    } finally {
      await capture.stop();
      node.namespaces.leave();
    }
  }, 60_000);
});
