// Reading 100 000 tracked connections by netlink against `conntrack -L` and a regular expression:
//   sudo npx tsx bench/agent-conntrack.ts [entries]
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ConntrackCollector } from '../agent/src/conntrack/collector';
import { NETLINK_REQUEST, NetlinkSocket } from '../agent/src/netlink/socket';
import { NetworkNamespaces, run } from '../agent/test/network-namespaces';
import { report, Workshop } from './agent-support';

const ENTRIES = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;
const KEEP = 1650;
const GET_CONNTRACK = 0x0101;
const TICK_MILLISECONDS = 10;
const LINE =
  /^(ipv[46])\s+\d+\s+(\S+)\s+(\d+)\s+(?:\d+\s+)?(?:([A-Z_]+)\s+)?src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+) packets=(\d+) bytes=(\d+) (?:\[UNREPLIED\] )?src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+) packets=(\d+) bytes=(\d+)/;

/** CPU of this process and its ended children, milliseconds. */
function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (user + system) / 1000 + (Number(fields[13]) + Number(fields[14])) * TICK_MILLISECONDS;
}

async function measure(body: () => Promise<unknown>): Promise<number> {
  await body();
  const before = cpuMilliseconds();
  for (let round = 0; round < ROUNDS; round += 1) await body();
  return (cpuMilliseconds() - before) / ROUNDS;
}

/** CPU milliseconds of the main thread between two turns of the event loop, at most. Waiting for a processor does not count. */
async function longestTurn(body: () => Promise<void>): Promise<number> {
  const mainThread = (): number =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  let longest = 0;
  let last = mainThread();
  const timer = setInterval(() => {
    const now = mainThread();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1);
  await body();
  clearInterval(timer);
  return longest;
}

async function byCommand(): Promise<number> {
  const child = spawn('conntrack', ['-L', '-o', 'extended'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const entries: { key: string; bytes: number }[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const match = LINE.exec(line);
    if (match)
      entries.push({
        key: `${match[5]} ${match[6]} ${match[7]} ${match[8]}`,
        bytes: Number(match[10]) + Number(match[16]),
      });
  }
  await closed;
  entries.sort((a, b) => b.bytes - a.bytes).splice(KEEP);
  return entries.length;
}

/** What the kernel's own work costs: receive and throw away. */
async function receiveOnly(): Promise<void> {
  const socket = new NetlinkSocket();
  socket.request(GET_CONNTRACK, NETLINK_REQUEST.dump, 0);
  while (socket.receive(() => undefined));
  socket.close();
}

const workshop = new Workshop();
const namespaces = new NetworkNamespaces();
try {
  namespaces.enter(namespaces.add('conntrack'));
  run('sysctl -qw net.netfilter.nf_conntrack_acct=1');
  const file = join(workshop.directory, 'entries');
  const lines: string[] = [];
  for (let i = 0; i < ENTRIES; i += 1) {
    const [source, destination] = [`10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`, `192.0.2.${i % 250}`];
    const [sport, dport] = [1024 + (i % 60_000), 443];
    lines.push(
      `-A -t 9999 -u SEEN_REPLY,ASSURED -s ${source} -d ${destination} -r ${destination} -q ${source} -p tcp --sport ${sport} --dport ${dport} --reply-port-src ${dport} --reply-port-dst ${sport} --state ESTABLISHED`,
    );
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
  execFileSync('conntrack', ['-R', file], { stdio: 'ignore' });

  const collector = new ConntrackCollector(null);
  const snapshot = await collector.snapshot(KEEP);
  const floor = await measure(receiveOnly);
  const netlink = await measure(() => collector.snapshot(KEEP));
  const command = await measure(byCommand);
  const stall = await longestTurn(async () => {
    for (let round = 0; round < ROUNDS; round += 1) await collector.snapshot(KEEP);
  });
  console.log(
    `CPU per dump: netlink ${netlink.toFixed(0)} ms, kernel's part ${floor.toFixed(0)} ms, conntrack -L and regular expression ${command.toFixed(0)} ms`,
  );
  report(`Connection tracking, ${ENTRIES} entries`, [
    {
      name: 'entries read - entries made',
      value: (snapshot?.total ?? 0) - ENTRIES,
      unit: 'entries',
      atMost: 0,
      atLeast: 0,
    },
    { name: 'netlink CPU / conntrack -L and regular expression', value: netlink / command, unit: 'x', atMost: 0.3 },
    { name: "netlink CPU / kernel's own part", value: netlink / floor, unit: 'x', atMost: 1.5 },
    { name: 'longest turn of the event loop', value: stall, unit: 'ms CPU', atMost: 20 },
  ]);
} finally {
  namespaces.destroy();
  workshop.close();
}
