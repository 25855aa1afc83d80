// The agent as shipped: start, memory, idle CPU, size of a full heartbeat. sudo npx tsx bench/agent-whole.ts [seconds]
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { assembleFlows } from '../agent/src/flows/assemble';
import { rulesetGeneration } from '../agent/src/ruleset/generation';
import { type CapturedRow, captureOf } from '../agent/test/capture-snapshot';
import { HypervisorNode } from '../agent/test/hypervisor-node';
import { type Bar, cpuNanoseconds, report, residentMebibytes, Workshop } from './agent-support';

const SECONDS = Number(process.argv[2] ?? 60);
const GUESTS = 20;
const AGENT = join(dirname(fileURLToPath(import.meta.url)), '..', 'agent');

/** 1500 flows that differ as much as real ones do, and more: every number is random. */
function heartbeatBars(): Bar[] {
  let seed = 12345;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const now = 1.8e12;
  const address = (): string => `10.0.${random(4)}.${random(60)}`;
  const rows = Array.from(
    { length: 3000 },
    (): CapturedRow => ({
      source: address(),
      destination: random(3) === 0 ? `${random(220) + 1}.${random(255)}.${random(255)}.${random(255)}` : address(),
      protocol: random(10) < 7 ? 6 : 17,
      sourcePort: 32_768 + random(28_000),
      destinationPort: [443, 80, 22, 53, 5432, 8006, 123, 3306][random(8)] as number,
      ifindex: 1 + random(40),
      packets: 1 + random(2000),
      bytes: 60 + random(3e6),
      first: now - random(random(3) === 0 ? 600_000 : 30_000),
      last: now - random(30_000),
      flags: [0x112, 0x212, 0x10, 0x113][random(4)] as number,
    }),
  );
  const sources = { capture: captureOf(rows, now - 30_000), conntrack: null, logs: [], now, since: now - 30_000 };
  const { flows } = assembleFlows(sources, 1500);
  flows.sort((a, b) => (`${a.interface} ${a.source_ip}` < `${b.interface} ${b.source_ip}` ? -1 : 1));
  const encode = (): number => gzipSync(JSON.stringify({ flows }), { level: 1 }).length;
  encode();
  const before = process.cpuUsage();
  for (let round = 0; round < 20; round += 1) encode();
  const { user, system } = process.cpuUsage(before);
  return [
    { name: `heartbeat of ${flows.length} flows, gzip`, value: encode() / 1000, unit: 'kB', atMost: 70 },
    { name: 'making it text and compressing it', value: (user + system) / 20 / 1000, unit: 'ms' },
  ];
}

function generationMicroseconds(): number {
  for (let warm = 0; warm < 200; warm += 1) rulesetGeneration();
  const before = process.cpuUsage();
  for (let round = 0; round < 2000; round += 1) rulesetGeneration();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 2000;
}

const workshop = new Workshop();
const node = new HypervisorNode();
try {
  for (let i = 0; i < GUESTS; i += 1) {
    node.addGuest({ vmid: 100 + i, nic: 0, kind: 'tap', address: `10.0.0.${100 + i}`, isFirewalled: i % 2 === 0 });
  }
  execFileSync(process.execPath, [join(AGENT, 'build.mjs'), join(workshop.directory, 'dist')]);
  let beats = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      beats += 1;
      response.end('{"accepted":0,"updated":0,"rejected":[],"next_interval_seconds":30}');
    });
  });
  node.namespaces.enter(node.name);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state = join(workshop.directory, 'state');
  mkdirSync(state);
  writeFileSync(join(state, 'node-token'), 'node-token-0123456789');
  writeFileSync(
    join(workshop.directory, 'agent.conf'),
    `server_url = http://127.0.0.1:${(server.address() as AddressInfo).port}\nstate_directory = ${state}\nruntime_directory = ${workshop.directory}/run\n`,
  );
  const bundle = join(workshop.directory, 'dist/fabric-agent.cjs');
  const agent = spawn(process.execPath, [bundle, 'run', '--config', join(workshop.directory, 'agent.conf')], {
    stdio: 'ignore',
  });
  const pid = agent.pid as number;
  while (beats === 0) await sleep(100);
  await sleep(5000);
  const before = cpuNanoseconds(pid);
  const started = Date.now();
  await sleep(SECONDS * 1000);
  const share = (cpuNanoseconds(pid) - before) / 1e6 / (Date.now() - started);
  const rss = residentMebibytes(pid);
  const sinceStart = beats;
  agent.kill('SIGTERM');
  await new Promise((resolve) => agent.once('close', resolve));
  server.close();
  console.log(`${sinceStart} heartbeats, ${GUESTS} guests`);
  report('The whole agent', [
    { name: `idle CPU over ${SECONDS} s, own process`, value: share * 100, unit: '% of a core', atMost: 0.2 },
    { name: 'resident memory', value: rss, unit: 'MiB', atMost: 80 },
    { name: 'asking whether the nftables rules changed', value: generationMicroseconds(), unit: 'us', atMost: 50 },
    ...heartbeatBars(),
  ]);
} finally {
  node.destroy();
  workshop.close();
}
