import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { NetworkNamespaces, run } from '../../test/network-namespaces';
import { describeAsRoot } from '../../test/requirements';
import { conntrackFlows } from '../flows/conntrack-flows';
import { libc } from '../sys/libc';
import { ConntrackCollector } from './collector';
import { type ConntrackDump, dumpByCommand, dumpByFile, dumpByNetlink } from './dump';
import type { ConntrackEntry } from './entry';
import { entryIdentity } from './text-parser';

async function listEntries(dump: ConntrackDump): Promise<ConntrackEntry[]> {
  const entries: ConntrackEntry[] = [];
  await dump((cursor) => entries.push(cursor.toEntry()));
  return entries.sort((a, b) => (entryIdentity(a) < entryIdentity(b) ? -1 : 1));
}

describeAsRoot(
  'ip',
  'conntrack',
  'iptables',
  'ping',
  'iperf3',
)('connection tracking', () => {
  const commandPath = '/usr/sbin/conntrack';
  let namespaces: NetworkNamespaces;
  let inside: string;
  let router: string;
  let outside: string;

  beforeAll(() => {
    namespaces = new NetworkNamespaces();
    inside = namespaces.add('inside');
    router = namespaces.add('router');
    outside = namespaces.add('outside');
    run(`ip -n ${router} link add lan type veth peer name eth0 netns ${inside}`);
    run(`ip -n ${router} link add wan type veth peer name eth0 netns ${outside}`);
    for (const [name, device, address] of [
      [inside, 'eth0', '10.1.0.5/24'],
      [router, 'lan', '10.1.0.1/24'],
      [router, 'wan', '192.0.2.1/24'],
      [outside, 'eth0', '192.0.2.9/24'],
    ]) {
      run(`ip -n ${name} link set ${device} up`);
      run(`ip -n ${name} addr add ${address} dev ${device}`);
    }
    run(`ip -n ${inside} route add default via 10.1.0.1`);
    const within = (command: string) => run(`ip netns exec ${router} ${command}`);
    within('sysctl -qw net.ipv4.ip_forward=1 net.netfilter.nf_conntrack_acct=1');
    within('iptables -t nat -A POSTROUTING -o wan -j MASQUERADE');
    within('iptables -t nat -A PREROUTING -i wan -p tcp --dport 5201 -j DNAT --to-destination 10.1.0.5');
  });
  beforeEach(() => {
    namespaces.leave();
    run(`ip netns exec ${router} conntrack -F`);
    namespaces.enter(router);
  });
  afterAll(() => namespaces.destroy());

  it('reads the same entries from netlink, the command and the file', async () => {
    for (const entry of [
      '-s 10.0.0.5 -d 10.0.0.6 -p tcp --sport 1234 --dport 80 --state ESTABLISHED -u ASSURED,SEEN_REPLY',
      '-s 10.0.0.5 -d 10.0.0.7 -p tcp --sport 1234 --dport 81 --state SYN_SENT',
      '-s 10.0.0.5 -d 10.0.0.8 -p udp --sport 5 --dport 53',
      '-s 10.0.0.5 -d 10.0.0.8 -p udp --sport 6 --dport 53 -u SEEN_REPLY',
      '-s 10.0.0.5 -d 10.0.0.8 -p udp --sport 6 --dport 53 -u SEEN_REPLY --zone 7',
      '-s 10.0.0.5 -d 10.0.0.6 -p icmp --icmp-type 8 --icmp-code 0 --icmp-id 77',
      '-s 2001:db8::5 -d 2001:db8::6 -p tcp --sport 1 --dport 22 --state TIME_WAIT -u SEEN_REPLY',
      '-s 2001:db8::5 -d 2001:db8::6 -p sctp --sport 9 --dport 10 --state ESTABLISHED --orig-vtag 1 --reply-vtag 2',
      '-s 2001:db8::5 -d 2001:db8::6 -p icmpv6 --icmpv6-type 128 --icmpv6-code 0 --icmpv6-id 77',
      '-s 2001:db8::5 -d 2001:db8::6 -p udp --sport 6 --dport 53 -u SEEN_REPLY',
      '-s 10.0.0.9 -d 198.51.100.1 -p tcp --sport 7 --dport 443 --state ESTABLISHED -u SEEN_REPLY,SRC_NAT --src-nat 203.0.113.4',
    ]) {
      run(`conntrack -I -t 600 ${entry}`);
    }
    const netlink = await listEntries(dumpByNetlink);
    expect(netlink).toHaveLength(11);
    expect(netlink.find(({ protocol }) => protocol === 58)).toMatchObject({
      original: { source: '2001:db8::5', destination: '2001:db8::6', sourcePort: null },
      icmp: { type: 128, code: 0 },
    });
    const withoutState = (entries: ConntrackEntry[]) =>
      entries.map((e) => (e.protocol === 132 ? { ...e, state: null } : e));
    expect(withoutState(await listEntries(dumpByCommand(commandPath)))).toEqual(withoutState(netlink));
    expect(withoutState(await listEntries(dumpByFile))).toEqual(withoutState(netlink));
    expect(netlink.find((entry) => entry.original.source === '10.0.0.9')?.reply.destination).toBe('203.0.113.4');
  });

  it('shows translated connections between their real ends, with what is new since the last look', async () => {
    const collector = new ConntrackCollector(commandPath);
    await collector.snapshot(100);
    run(`ip netns exec ${inside} ping -q -c 3 -i 0.01 192.0.2.9`);
    const [snapshot] = [await collector.snapshot(100)];
    const connections = snapshot?.connections ?? [];
    expect(snapshot).toMatchObject({ source: 'netlink', isFirst: false });
    const flows = connections.flatMap((connection) => conntrackFlows(connection, 0)).map(({ flow }) => flow);
    expect(flows).toEqual([
      expect.objectContaining({
        source_ip: '10.1.0.5',
        destination_ip: '192.0.2.9',
        protocol: 'icmp',
        icmp_type: 8,
        packets: 3,
        bytes: 3 * 84,
        initiator: 'source',
        raw: { translated_source: '192.0.2.1' },
      }),
      expect.objectContaining({
        source_ip: '192.0.2.9',
        destination_ip: '10.1.0.5',
        packets: 3,
        initiator: 'destination',
      }),
    ]);

    const server = spawn('ip', ['netns', 'exec', inside, 'iperf3', '-s', '-1', '--forceflush'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(server.stdout, 'data');
    run(`ip netns exec ${outside} iperf3 -c 192.0.2.1 -n 100K`);
    await once(server, 'close');
    const later = await collector.snapshot(100);
    const tcp = (later?.connections ?? []).filter(({ entry }) => entry.protocol === 6);
    expect(tcp).toHaveLength(2);
    const [data] = tcp.flatMap((connection) => conntrackFlows(connection, 0));
    expect(data?.flow).toMatchObject({
      source_ip: '192.0.2.9',
      destination_ip: '10.1.0.5',
      destination_port: 5201,
      raw: { translated_destination: '192.0.2.1:5201' },
    });
    expect(data?.newBytes).toBeGreaterThan(100_000);
    const ping = later?.connections.find(({ entry }) => entry.protocol === 1);
    expect(ping ? ping.newOriginal : null).toEqual({ bytes: 0, packets: 0 });
  });

  it('does not take the history of a connection for new traffic', async () => {
    run(`ip netns exec ${inside} ping -q -c 3 -i 0.01 192.0.2.9`);
    const first = await new ConntrackCollector(commandPath).snapshot(100);
    expect(first).toMatchObject({ isFirst: true, newBytes: 0, newPackets: 0 });
    const [connection] = first?.connections ?? [];
    expect(connection).toMatchObject({
      entry: { originalCounter: { packets: 3 } },
      newOriginal: { bytes: 0, packets: 0 },
      isNew: false,
    });
  });

  it('tells old connections from new traffic, and works without accounting', async () => {
    run('conntrack -I -t 600 -s 10.0.0.5 -d 10.0.0.8 -p udp --sport 6 --dport 53 -u SEEN_REPLY');
    const collector = new ConntrackCollector(commandPath);
    expect(await collector.snapshot(100)).toMatchObject({ total: 1, newBytes: 0, isFirst: true });
    run('conntrack -I -t 600 -s 10.0.0.5 -d 10.0.0.9 -p udp --sport 6 --dport 53');
    const second = await collector.snapshot(100);
    expect(second?.connections.map(({ entry, isNew }) => [entry.original.destination, isNew]).sort()).toEqual([
      ['10.0.0.8', false],
      ['10.0.0.9', true],
    ]);
    run('sysctl -qw net.netfilter.nf_conntrack_acct=0');
    run('conntrack -I -t 600 -s 10.0.0.5 -d 10.0.0.10 -p udp --sport 6 --dport 53');
    const third = await collector.snapshot(100);
    run('sysctl -qw net.netfilter.nf_conntrack_acct=1');
    const uncounted = third?.connections.find(({ entry }) => entry.original.destination === '10.0.0.10');
    expect(uncounted).toMatchObject({ newOriginal: null, entry: { originalCounter: null } });
  });

  it('refuses a dump of which the kernel had to discard messages', async () => {
    vi.spyOn(libc(), 'recv').mockReturnValueOnce(-1);
    vi.spyOn(libc(), 'errno').mockReturnValueOnce(105).mockReturnValueOnce(105);
    await expect(listEntries(dumpByNetlink)).rejects.toThrow('receive netlink response: ENOBUFS');
  });

  it('keeps the largest of many and falls back when netlink is refused', async () => {
    const refused = () => Promise.reject(new Error('EPERM'));
    const collector = new ConntrackCollector(null, [
      { name: 'netlink', dump: refused },
      { name: 'file', dump: dumpByFile },
    ]);
    for (let port = 1; port <= 20; port += 1) {
      run(`conntrack -I -t 600 -s 10.0.0.5 -d 10.0.0.8 -p udp --sport ${port} --dport 53`);
    }
    const snapshot = await collector.snapshot(5);
    expect(snapshot).toMatchObject({ source: 'file', total: 20 });
    expect(snapshot?.connections).toHaveLength(5);
    expect(collector.failures).toEqual(['netlink: EPERM']);
  });
});
