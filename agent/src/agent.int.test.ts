import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type Heartbeat, heartbeatSchema } from '@fabric/agent-contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Guest, HypervisorNode } from '../test/hypervisor-node';
import { run } from '../test/network-namespaces';
import { describeAsRoot } from '../test/requirements';

const AGENT = join(dirname(fileURLToPath(import.meta.url)), '..');

// The program as it is shipped, on a node with guests, against a server that comes and goes.
describeAsRoot('ip', 'ping')('agent', () => {
  let node: HypervisorNode;
  let first: Guest;
  let second: Guest;
  let directory: string;
  let logFile: string;
  let server: Server;
  let port: number;
  let isServerUp = true;
  const beats: Heartbeat[] = [];
  let agent: ChildProcess | null = null;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-agent-'));
    run(`${process.execPath} ${join(AGENT, 'build.mjs')} ${join(directory, 'dist')}`);
    logFile = join(directory, 'pve-firewall.log');
    node = new HypervisorNode();
    first = node.addGuest({ vmid: 100, nic: 0, kind: 'tap', address: '10.0.0.100', isFirewalled: true });
    second = node.addGuest({ vmid: 101, nic: 2, kind: 'veth', address: '10.0.0.101', isFirewalled: false });
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        if (!isServerUp) return response.writeHead(503).end();
        const body: unknown = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString());
        beats.push(heartbeatSchema.parse(body));
        response.end(JSON.stringify({ accepted: 0, updated: 0, rejected: [], next_interval_seconds: 5 }));
      });
    });
    node.namespaces.enter(node.name);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    mkdirSync(join(directory, 'state'));
    writeFileSync(join(directory, 'state/node-token'), 'node-token-0123456789\n', { mode: 0o600 });
    writeFileSync(
      join(directory, 'agent.conf'),
      `server_url = http://127.0.0.1:${port}\ninterval_seconds = 5\nfirewall_log = ${logFile}\n` +
        `state_directory = ${directory}/state\nruntime_directory = ${directory}/run\nnode_name = pve1\n`,
    );
  });
  afterAll(async () => {
    agent?.kill('SIGKILL');
    await new Promise((resolve) => server.close(resolve));
    node.destroy();
    rmSync(directory, { recursive: true, maxRetries: 10 });
  });

  function start(): ChildProcess {
    const bundle = join(directory, 'dist/fabric-agent.cjs');
    return spawn(process.execPath, [bundle, 'run', '--config', join(directory, 'agent.conf')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  async function runOnce(): Promise<{ code: number | null; message: string }> {
    const bundle = join(directory, 'dist/fabric-agent.cjs');
    const child = spawn(process.execPath, [bundle, '--once', '--config', join(directory, 'agent.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let message = '';
    child.stderr.on('data', (text) => {
      message += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, message };
  }

  async function stop(child: ChildProcess): Promise<number | null> {
    const closed = once(child, 'close') as Promise<[number | null]>;
    child.kill('SIGTERM');
    return (await closed)[0];
  }

  async function until(what: () => boolean): Promise<void> {
    for (let i = 0; i < 300 && !what(); i += 1) await sleep(100);
    expect(what()).toBe(true);
  }

  let written = 0;
  function log(count: number): void {
    const time = new Date();
    const month = time.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
    const clock = time.toISOString().slice(11, 19);
    const date = `${String(time.getUTCDate()).padStart(2, '0')}/${month}/${time.getUTCFullYear()}:${clock} +0000`;
    for (let i = 0; i < count; i += 1) {
      appendFileSync(
        logFile,
        `100 6 tap100i0-IN ${date} policy DROP: IN=fwbr100i0 OUT=fwbr100i0 PHYSIN=fwln100i0 PHYSOUT=tap100i0 MAC=00:00 ` +
          'SRC=203.0.113.9 DST=10.0.0.100 LEN=60 TOS=0x00 PROTO=TCP SPT=40000 DPT=22 SYN \n',
      );
    }
    written += count;
  }

  /** Sum of what was newly seen of a flow over all heartbeats. */
  function countNewPackets(of: (flow: Heartbeat['flows'][number]) => boolean): number {
    const flows = beats.flatMap((beat) => beat.flows.filter(of));
    return flows.reduce((sum, flow) => sum + (flow.delta_packets ?? flow.packets ?? 0), 0);
  }
  const isPing = (flow: Heartbeat['flows'][number]) => flow.icmp_type === 8 && flow.source_ip === first.address;
  const isDrop = (flow: Heartbeat['flows'][number]) => flow.decision === 'drop' && flow.source_ip === '203.0.113.9';

  it('reports each packet and log line once, over an outage, a rotation and a restart', async () => {
    agent = start();
    await sleep(2000);
    run(`ip netns exec ${first.namespace} ping -q -c 7 -i 0.01 ${second.address}`);
    log(5);
    await until(() => countNewPackets(isPing) >= 7 && countNewPackets(isDrop) >= 5);
    const beat = beats.find((one) => one.flows.some(isDrop)) as Heartbeat;
    expect(beat).toMatchObject({ node_name: 'pve1', agent_version: '0.5.1', interval_seconds: 5 });
    expect(beat.flows.find(isDrop)).toMatchObject({
      vmid: 100,
      nic: 0,
      destination_port: 22,
      bytes: 300,
      collector: 'firewall_log',
    });
    expect(beats.flatMap((one) => one.flows).find(isPing)).toMatchObject({
      vmid: 100,
      interface: 'tap100i0',
      collector: 'ebpf',
    });
    expect(beat.interfaces.map(({ name }) => name)).toContain('fwpr100p0');
    expect(beat.flow_diagnostics?.collectors.find(({ name }) => name === 'packet_capture')?.state).toBe('active');
    expect(await runOnce()).toEqual({ code: 1, message: expect.stringContaining('systemctl stop fabric-agent') });
    expect(new Set(beats.map(({ boot_id }) => boot_id)).size).toBe(1);

    isServerUp = false;
    run(`ip netns exec ${first.namespace} ping -q -c 4 -i 0.01 ${second.address}`);
    log(3);
    await until(() => readdirSync(join(directory, 'state/spool')).length > 0);
    renameSync(logFile, `${logFile}.1`);
    log(2);
    expect(await stop(agent)).toBe(0);
    log(4);
    isServerUp = true;
    agent = start();
    run(`ip netns exec ${second.namespace} ping -q -c 2 -i 0.01 ${first.address}`);
    await until(() => readdirSync(join(directory, 'state/spool')).length === 0 && countNewPackets(isDrop) >= written);
    await sleep(6000);
    expect(await stop(agent)).toBe(0);
    agent = null;
    expect(countNewPackets(isPing)).toBe(11);
    expect(countNewPackets(isDrop)).toBe(written);
    const sequences = beats.map((one) => `${one.boot_id} ${one.sequence}`);
    expect(new Set(sequences).size).toBe(sequences.length);
    expect(JSON.parse(readFileSync(join(directory, 'run/status.json'), 'utf8')).last_acknowledged_at).toMatch(/Z$/);
    // Of the agent that ended.
    expect(await runOnce()).toMatchObject({ code: 0 });
  }, 90_000);
});
