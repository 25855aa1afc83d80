// The packaged agent on a node whose workloads send nothing: size of the package, memory, processor time.
//   sudo npx tsx packages/bench/agent-idle.ts [seconds] [workloads]
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HypervisorNode } from '../../agent/test/hypervisor-node';
import { report, residentMebibytes, Workshop } from './agent-support';

const SECONDS = Number(process.argv[2] ?? 300);
const WORKLOADS = Number(process.argv[3] ?? 20);
const WARM_UP_SECONDS = 60;
const DIST = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist');
const ARCHITECTURE = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();

const name = readdirSync(DIST).find((file) => file.endsWith(`_${ARCHITECTURE}.deb`));
if (name === undefined) throw new Error('run npm run package:agent first');
const workshop = new Workshop();
const node = new HypervisorNode();
const root = workshop.directory;

/** The command of the package, for the directory it is extracted to. */
function readCommand(): string[] {
  const script = readFileSync(join(root, 'usr/bin/fabric-agent'), 'utf8');
  const words = /^exec (.*) "\$@"$/m.exec(script)?.[1]?.split(' ') ?? [];
  return words.map((word) => (word.startsWith('/') ? root + word : word));
}

const processorMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  // Its own time, and that of the programs it ran.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
};

const readKilobytes = (pid: number, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

let beats = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    beats += 1;
    response.end('{"accepted":0,"updated":0,"rejected":[],"next_interval_seconds":30}');
  });
});
try {
  execFileSync('dpkg-deb', ['--extract', join(DIST, name), root]);
  for (let i = 0; i < WORKLOADS; i += 1) {
    node.addGuest({ vmid: 100 + i, nic: 0, kind: 'tap', address: `10.0.0.${100 + i}`, isFirewalled: i % 2 === 0 });
  }
  node.namespaces.enter(node.name);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state = join(root, 'var/lib/fabric-agent');
  const config = join(root, 'etc/fabric-agent/agent.conf');
  for (const directory of [state, dirname(config)]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(state, 'node-token'), 'node-token-0123456789\n', { mode: 0o600 });
  writeFileSync(config, `server_url = http://127.0.0.1:${port}\nnode_name = pve1\n`);
  const [command = '', ...args] = readCommand();
  const agent = spawn(command, [...args, 'run', '--config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  const pid = agent.pid as number;
  await sleep(WARM_UP_SECONDS * 1000);
  const [began, cpuBefore, beatsBefore] = [performance.now(), processorMs(pid), beats];
  let resident = 0;
  while (performance.now() - began < SECONDS * 1000) {
    await sleep(1000);
    resident = Math.max(resident, residentMebibytes(pid));
  }
  const share = (processorMs(pid) - cpuBefore) / (performance.now() - began);
  const own = ['RssAnon', 'RssFile'].map((field) => readKilobytes(pid, field) / 1024);
  agent.kill('SIGTERM');
  console.log(
    `anonymous ${own[0]?.toFixed(1)} MiB, of files ${own[1]?.toFixed(1)} MiB; heartbeats: ${beats - beatsBefore}`,
  );
  const installed = Number(
    execFileSync('dpkg-deb', ['--field', join(DIST, name), 'Installed-Size'], { encoding: 'utf8' }),
  );
  report(`Idle agent, ${WORKLOADS} workloads, ${SECONDS} s`, [
    { name: 'installed', value: (installed * 1024) / 1e6, unit: 'MB', atMost: 120 },
    { name: 'download', value: statSync(join(DIST, name)).size / 1e6, unit: 'MB', atMost: 40 },
    { name: 'resident memory, highest of each second', value: (resident * 1024 * 1024) / 1e6, unit: 'MB', atMost: 60 },
    { name: 'processor, programs it runs included', value: share * 100, unit: '% of a core', atMost: 0.2 },
  ]);
} finally {
  server.close();
  node.destroy();
  workshop.close();
}
