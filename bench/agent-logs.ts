// Log readers: what they lose, repeat and cost. sudo npx tsx bench/agent-logs.ts
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FileTail } from '../agent/src/logs/file-tail';
import { parseHypervisorLine } from '../agent/src/logs/hypervisor-line';
import { KernelLog } from '../agent/src/logs/kernel-log';
import { NetworkNamespaces, run } from '../agent/test/network-namespaces';
import { type Bar, report, Workshop } from './agent-support';

const FILE_LINES = 8000;
const PARSED_LINES = 3000;
const KERNEL_LINES = 2000;
const ALL_NAMESPACES = '/proc/sys/net/netfilter/nf_log_all_netns';
const EVERYTHING =
  /^(\d+) (\d) (\S+) (\S+) (\S+) (.*?)IN=(\S*) OUT=(\S*)(?: PHYSIN=(\S+))?(?: PHYSOUT=(\S+))?(?: MAC=(\S+))? SRC=(\S+) DST=(\S+) LEN=(\d+) .*?PROTO=(\S+)(?: SPT=(\d+) DPT=(\d+))?/;

const workshop = new Workshop();

/** Rotations with late writes, and a restart of the reader from its saved state every few reads. */
async function fileBars(): Promise<Bar[]> {
  const file = join(workshop.directory, 'pve-firewall.log');
  writeFileSync(file, '');
  const program = await workshop.program('agent-log-writer');
  let tail = new FileTail(file, null);
  const seen = new Map<string, number>();
  const read = (): void => tail.read((line) => seen.set(line, (seen.get(line) ?? 0) + 1));
  const writer = spawn(process.execPath, [program, file, String(FILE_LINES), '2000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let isDone = false;
  const closed = once(writer, 'close').then(() => {
    isDone = true;
  });
  let restarts = 0;
  for (let reads = 1; !isDone; reads += 1) {
    read();
    if (reads % 5 === 0) {
      const state = JSON.parse(JSON.stringify(tail.state));
      tail.close();
      tail = new FileTail(file, state);
      restarts += 1;
    }
    await sleep(50);
  }
  await closed;
  read();
  tail.close();
  const repeated = [...seen.values()].filter((count) => count > 1).length;
  console.log(`file: ${seen.size} lines over ${FILE_LINES / 1000} rotations and ${restarts} restarts`);
  return [
    { name: 'log file: lines lost', value: FILE_LINES - seen.size, unit: 'lines', atMost: 0 },
    { name: 'log file: lines repeated', value: repeated, unit: 'lines', atMost: 0 },
  ];
}

function parserBars(): Bar[] {
  const lines = Array.from(
    { length: PARSED_LINES },
    (_, i) =>
      `${100 + (i % 50)} 6 tap${100 + (i % 50)}i0-IN 20/Nov/2026:12:47:07 +0100 policy DROP: IN=fwbr100i0 OUT=fwbr100i0 ` +
      `PHYSIN=fwln100i0 PHYSOUT=tap100i0 MAC=bc:24:11:00:00:01:bc:24:11:00:00:02:08:00 SRC=203.0.113.${i % 255} ` +
      `DST=10.0.0.5 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=34117 DF PROTO=TCP SPT=${1024 + i} DPT=23 SEQ=1 ACK=0 WINDOW=64240 SYN `,
  );
  const time = (parse: (line: string) => unknown): number => {
    for (let warm = 0; warm < 10; warm += 1) for (const line of lines) parse(line);
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round += 1) for (const line of lines) parse(line);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 20 / 1000;
  };
  const own = time(parseHypervisorLine);
  const regex = time((line) => EVERYTHING.exec(line));
  return [
    { name: `parsing ${PARSED_LINES} lines`, value: own, unit: 'ms', atMost: 30 },
    { name: 'parser CPU / one regular expression without checks', value: own / regex, unit: 'x' },
  ];
}

async function kernelBars(): Promise<Bar[]> {
  const before = readFileSync(ALL_NAMESPACES, 'utf8');
  const namespaces = new NetworkNamespaces();
  try {
    writeFileSync(ALL_NAMESPACES, '1');
    const name = namespaces.add('log');
    const mark = `bench-${process.pid}`;
    run(`ip netns exec ${name} iptables -A OUTPUT -p icmp -j LOG --log-prefix ${mark}:`);
    const log = new KernelLog(null, 'bench');
    log.read(() => undefined);
    let lines = 0;
    const flood = spawn('ip', [
      'netns',
      'exec',
      name,
      'ping',
      '-q',
      '-c',
      String(KERNEL_LINES / 2),
      '-i',
      '0.005',
      '127.0.0.1',
    ]);
    let isDone = false;
    flood.once('close', () => {
      isDone = true;
    });
    const cpu = process.cpuUsage();
    for (let extra = 0; extra < 2; ) {
      await sleep(500);
      log.read((message) => {
        if (message.startsWith(mark)) lines += 1;
      });
      if (isDone) extra += 1;
    }
    const { user, system } = process.cpuUsage(cpu);
    log.close();
    return [
      { name: 'kernel log at 400 lines/s: lines lost', value: KERNEL_LINES - lines, unit: 'lines', atMost: 0 },
      { name: `kernel log: CPU for ${KERNEL_LINES} lines`, value: (user + system) / 1000, unit: 'ms' },
    ];
  } finally {
    namespaces.destroy();
    writeFileSync(ALL_NAMESPACES, before);
  }
}

try {
  report('Log readers', [...(await fileBars()), ...parserBars(), ...(await kernelBars())]);
} finally {
  workshop.close();
}
