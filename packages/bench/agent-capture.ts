// Packet capture against tcpdump (and softflowd, where installed) on the same traffic at the same time:
//   sudo npx tsx packages/bench/agent-capture.ts [seconds] [20000]
// The time is a multiple of the interval of heartbeats, so that each scenario has its share of them. With 20000, only the
// scenario of so many flows runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NetworkNamespaces, run } from '../../agent/test/network-namespaces';
import {
  type Bar,
  cpuNanoseconds,
  interfaceCounter,
  isInstalled,
  report,
  residentMebibytes,
  Workshop,
} from './agent-support';

const SECONDS = Number(process.argv[2] ?? 60);
const ONLY = process.argv[3];
const RATE = 100_000;
/** As long as the worker's short intervals: V8 compiles then, once in the life of an agent. */
const WARM_UP_SECONDS = 20;
const INTERFACE = 'tap100i0';

type Counted = { packets: number; bytes: number; flows: number };
type Result = {
  cpu: Record<string, number>;
  rss: number;
  agent: Counted;
  sent: Counted;
  counter: Counted;
  drops: number;
};

const workshop = new Workshop();
const namespaces = new NetworkNamespaces();

/** One scenario: everything listens on one interface while the sender sends. CPU is taken after a warm-up. */
async function scenario(way: 'ebpf' | 'ring', flows: number, vlan: number): Promise<Result> {
  const node = namespaces.add(`node-${way}-${flows}-${vlan}`);
  const guest = namespaces.add(`guest-${way}-${flows}-${vlan}`);
  run(`ip -n ${node} link add ${INTERFACE} type veth peer name eth0 netns ${guest}`);
  run(`ip -n ${node} link set ${INTERFACE} up`);
  run(`ip -n ${guest} link set eth0 up`);
  const inNode = (...command: string[]): ChildProcess =>
    spawn('ip', ['netns', 'exec', node, ...command], { stdio: ['pipe', 'pipe', 'pipe'] });

  const agent = inNode(process.execPath, await workshop.program('agent-capture-worker'), way);
  await firstLine(agent);
  const tcpdump = inNode('tcpdump', '-i', INTERFACE, '-s', '96', '-B', '16384', '-w', '/dev/null');
  const watched: Record<string, ChildProcess> = { agent, tcpdump };
  if (isInstalled('softflowd')) {
    // It drops its privileges before it writes its files: a private directory would stop it.
    const pidFile = join(tmpdir(), `fabric-bench-${process.pid}-${flows}-${vlan}.pid`);
    watched.softflowd = inNode('softflowd', '-d', '-i', INTERFACE, '-m', '100000', '-c', 'none', '-p', pidFile);
  }
  for (const [name, child] of Object.entries(watched)) {
    child.once('exit', (code, signal) => console.log(`${name} ended: ${code ?? signal}`));
    if (name !== 'tcpdump') child.stderr?.on('data', (data) => process.stderr.write(data));
  }
  let tcpdumpSays = '';
  tcpdump.stderr?.on('data', (data) => {
    tcpdumpSays += data;
  });
  await sleep(1500);
  const before = {
    packets: interfaceCounter(node, INTERFACE, 'rx_packets'),
    bytes: interfaceCounter(node, INTERFACE, 'rx_bytes'),
  };
  const program = await workshop.program('agent-sender');
  const sender = spawn('ip', [
    ...['netns', 'exec', guest, process.execPath, program],
    ...['eth0', RATE, SECONDS + WARM_UP_SECONDS, flows, vlan].map(String),
  ]);
  await sleep(WARM_UP_SECONDS * 1000);
  const cpuBefore = readCpuTimes(watched);
  const packetsBefore = interfaceCounter(node, INTERFACE, 'rx_packets');
  const sentLine = await firstLine(sender);
  const cpuAfter = readCpuTimes(watched);
  const measured = interfaceCounter(node, INTERFACE, 'rx_packets') - packetsBefore;
  const rss = residentMebibytes(agent.pid as number);

  await sleep(500);
  const counted = firstLine(agent);
  agent.stdin?.write('end\n');
  const agentLine = JSON.parse(await counted);
  for (const child of [tcpdump, watched.softflowd]) child?.kill('SIGINT');
  await once(tcpdump, 'close');
  const cpu: Record<string, number> = {};
  for (const name of Object.keys(watched))
    cpu[name] = ((cpuAfter[name] as number) - (cpuBefore[name] as number)) / measured;
  console.log(`${way}, ${flows} flows, ${vlan > 0 ? 'tagged' : 'untagged'}: ns/packet`, cpu, agentLine.detail);
  return {
    cpu,
    rss,
    agent: agentLine,
    sent: { ...JSON.parse(sentLine), flows },
    counter: {
      packets: interfaceCounter(node, INTERFACE, 'rx_packets') - before.packets,
      bytes: interfaceCounter(node, INTERFACE, 'rx_bytes') - before.bytes,
      flows,
    },
    drops: Number(/(\d+) packets dropped by kernel/.exec(tcpdumpSays)?.[1] ?? 0),
  };
}

function readCpuTimes(children: Record<string, ChildProcess>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(children).map(([name, child]) => [name, cpuNanoseconds(child.pid as number)]),
  );
}

/** Next line of a program's output. Its errors are passed on. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk;
      if (!text.includes('\n')) return;
      child.stdout?.off('data', onData);
      resolve(text.split('\n')[0] as string);
    };
    child.stdout?.on('data', onData);
    child.once('close', (code) => reject(new Error(`the program ended with ${code}: ${text}`)));
  });
}

function exactness(name: string, { agent, sent, counter }: Result): Bar[] {
  return [
    {
      name: `${name}: packets, counted - interface counter`,
      value: agent.packets - counter.packets,
      unit: 'packets',
      atMost: 0,
      atLeast: 0,
    },
    {
      name: `${name}: bytes, counted - interface counter`,
      value: agent.bytes - counter.bytes,
      unit: 'bytes',
      atMost: 0,
      atLeast: 0,
    },
    {
      name: `${name}: packets, counted - sent`,
      value: agent.packets - sent.packets,
      unit: 'packets',
      atMost: 0,
      atLeast: 0,
    },
    { name: `${name}: flows, counted - sent`, value: agent.flows - sent.flows, unit: 'flows', atMost: 0, atLeast: 0 },
  ];
}

function ratio(result: Result, other: string): number {
  return (result.cpu.agent as number) / (result.cpu[other] as number);
}

/** Bars of one scenario. */
function listBars(name: string, result: Result, bars: { tcpdump: number; softflowd: number | null }): Bar[] {
  return [
    ...exactness(name, result),
    { name: `${name}: process CPU / tcpdump`, value: ratio(result, 'tcpdump'), unit: 'x', atMost: bars.tcpdump },
    ...('softflowd' in result.cpu && bars.softflowd !== null
      ? [
          {
            name: `${name}: softflowd CPU / process`,
            value: 1 / ratio(result, 'softflowd'),
            unit: 'x',
            atLeast: bars.softflowd,
          },
        ]
      : []),
  ];
}

async function measureMany(): Promise<Bar[]> {
  const many = await scenario('ebpf', 20_000, 0);
  return [
    ...listBars('20000 flows', many, { tcpdump: 0.6, softflowd: 5 }),
    { name: 'resident memory, capture alone, 20000 flows', value: many.rss, unit: 'MiB', atMost: 80 },
  ];
}

async function measureAll(): Promise<Bar[]> {
  const few = listBars('1000 flows', await scenario('ebpf', 1000, 0), { tcpdump: 0.3, softflowd: 10 });
  const tagged = listBars('1000 flows, tagged', await scenario('ebpf', 1000, 7), { tcpdump: 0.3, softflowd: null });
  const many = await measureMany();
  const ring = await scenario('ring', 1000, 0);
  return [
    ...few,
    ...tagged,
    ...many,
    { name: 'packet ring, 1000 flows: process CPU / tcpdump', value: ratio(ring, 'tcpdump'), unit: 'x', atMost: 2.5 },
    {
      name: 'packet ring: packets, counted - sent',
      value: ring.agent.packets - ring.sent.packets,
      unit: 'packets',
      atMost: 0,
      atLeast: 0,
    },
  ];
}

try {
  const bars = ONLY === '20000' ? await measureMany() : await measureAll();
  report(`Capture of ${RATE} packets/s for ${SECONDS} s`, bars);
} finally {
  namespaces.destroy();
  workshop.close();
}
