import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NetworkNamespaces, run } from '../../../../../agent/test/network-namespaces';

/** Both ends of the link, in both families. */
export const CLIENT = { v4: '10.77.0.1', v6: 'fd77::1' };
export const SERVER = { v4: '10.77.0.2', v6: 'fd77::2' };
const ENDS = [CLIENT.v4, CLIENT.v6, SERVER.v4, SERVER.v6];

/** Packets and IP bytes by `protocol source:port > destination:port`. */
export type Counts = Map<string, { packets: number; bytes: number }>;

export const flowKey = (protocol: string, source: string, destination: string): string =>
  `${protocol} ${source} > ${destination}`;

/** Servers of TCP and UDP for both families in one program: it ends with its standard input. */
const SERVERS = `
const net = require('node:net'), dgram = require('node:dgram');
const tcp = net.createServer((socket) => socket.pipe(socket)).listen(5000, '::');
const udp = dgram.createSocket('udp6').bind(5001, '::');
udp.on('message', (data, from) => udp.send(data.subarray(0, 40), from.port, from.address));
tcp.on('listening', () => console.log('ready'));
process.stdin.on('end', () => process.exit(0)).resume();`;

/** Some bytes to each of them, over \`seconds\`, and waits for what returns. */
const CLIENT_PROGRAM = `
const net = require('node:net'), dgram = require('node:dgram');
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const [v4, v6, seconds] = process.argv.slice(1);
async function talkTcp(host) {
  const socket = net.connect(5000, host);
  let back = 0;
  socket.on('data', (data) => { back += data.length; });
  for (let i = 0; i < seconds * 2; i += 1) { socket.write(Buffer.alloc(30000 + i)); await wait(500); }
  while (back < seconds * 60000) await wait(50);
  socket.end();
  await wait(200);
}
async function talkUdp(host, type) {
  const socket = dgram.createSocket(type);
  for (let i = 0; i < seconds * 4; i += 1) { socket.send(Buffer.alloc(100 + i), 5001, host); await wait(250); }
  socket.close();
}
Promise.all([talkTcp(v4), talkTcp(v6), talkUdp(v4, 'udp4'), talkUdp(v6, 'udp6')]).then(() => process.exit(0));`;

const FILLING = '10.77.0.3';
const FILLER = `
const socket = require('node:dgram').createSocket('udp4');
socket.bind(0, process.argv[1], async () => {
  for (let i = 0; i < 500; i += 1) await new Promise((done) => socket.send('x', 9, process.argv[2], done));
  socket.close();
});`;

/** tcpdump as an independent count: what it prints of each packet between the two ends. */
function readDump(file: string): Counts {
  const text = execFileSync('tcpdump', ['-r', file, '-nn', '-v', '-t', 'ip or ip6'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const counts: Counts = new Map();
  const packet =
    /^(?:IP \(.*proto (\w+) \(\d+\), length (\d+)\)\s+|IP6 \(.*next-header (\w+) \(\d+\) payload length: (\d+)\) )(\S+) > (\S+?): /gm;
  for (const match of text.matchAll(packet)) {
    const [, protocol4, length4, protocol6, payload6, from = '', to = ''] = match;
    const protocol = (protocol4 ?? protocol6 ?? '').toLowerCase();
    const hasPort = protocol === 'tcp' || protocol === 'udp';
    const split = (end: string) => (hasPort ? end.replace(/\.(\d+)$/, ' $1') : end);
    if (![from, to].every((end) => ENDS.includes(split(end).split(' ')[0] ?? ''))) continue;
    const key = flowKey(protocol, split(from), split(to));
    const count = counts.get(key) ?? { packets: 0, bytes: 0 };
    count.packets += 1;
    count.bytes += length4 === undefined ? Number(payload6) + 40 : Number(length4);
    counts.set(key, count);
  }
  return counts;
}

type Program = { child: ChildProcess; closed: Promise<unknown>; output: string };

/** Two network namespaces with a link between them; softflowd and tcpdump watch its end at the server. */
export class SoftflowdLab {
  readonly #namespaces = new NetworkNamespaces();
  readonly #directory = mkdtempSync(join(tmpdir(), 'fabric-softflowd-'));
  readonly #client: string;
  readonly #server: string;
  #programs: Program[] = [];
  #runs = 0;

  constructor() {
    [this.#client, this.#server] = [this.#namespaces.add('cl'), this.#namespaces.add('se')];
    run(`ip link add va netns ${this.#client} type veth peer name vb netns ${this.#server}`);
    for (const [namespace, name, ends] of [
      [this.#client, 'va', CLIENT],
      [this.#server, 'vb', SERVER],
    ] as const) {
      run(
        `ip netns exec ${namespace} sysctl -qw net.ipv6.conf.all.disable_ipv6=0 net.ipv6.conf.${name}.disable_ipv6=0`,
      );
      run(`ip -n ${namespace} addr add ${ends.v4}/24 dev ${name}`);
      run(`ip -n ${namespace} addr add ${ends.v6}/64 dev ${name} nodad`);
      run(`ip -n ${namespace} link set ${name} up`);
    }
    run(`ip -n ${this.#client} addr add ${FILLING}/24 dev va`);
  }

  /** A socket of this process in the namespace of the server. */
  readonly listen = async (host: string, port: number) => {
    this.#namespaces.enter(this.#server);
    try {
      const socket = createSocket('udp4');
      socket.bind(port, host);
      await once(socket, 'listening');
      return socket;
    } finally {
      this.#namespaces.leave();
    }
  };

  #start(namespace: string, ...command: string[]): Program {
    const child = spawn('ip', ['netns', 'exec', namespace, ...command], { stdio: ['pipe', 'pipe', 'pipe'] });
    const program: Program = { child, closed: once(child, 'close'), output: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        program.output += data;
      });
    }
    this.#programs.push(program);
    return program;
  }

  async #waitFor(program: Program, text: string): Promise<void> {
    while (!program.output.includes(text)) {
      if (program.child.exitCode !== null) throw new Error(`expected "${text}": ${program.output}`);
      await delay(20);
    }
  }

  async #stop({ child, closed }: Program, signal: NodeJS.Signals): Promise<void> {
    child.kill(signal);
    await closed;
  }

  #control(socket: string, command: string): string {
    return run(`ip netns exec ${this.#server} softflowctl -c ${socket} ${command}`);
  }

  /** softflowd gets packets in blocks: others, from an address that does not count, fill them until it has read all that were dumped. */
  async #pushOut(control: string, dumpFile: string): Promise<void> {
    const dumped = Number.parseInt(run(`tcpdump -r ${dumpFile} --count`), 10);
    for (let tries = 0; tries < 50; tries += 1) {
      const [, processed = '0'] = /Packets processed: (\d+)/.exec(this.#control(control, 'statistics')) ?? [];
      if (Number(processed) >= dumped) return;
      execFileSync('ip', ['netns', 'exec', this.#client, process.execPath, '-e', FILLER, FILLING, SERVER.v4]);
      await delay(50);
    }
    throw new Error('softflowd did not read what was sent');
  }

  /** Known traffic of some seconds while both watch. @returns what tcpdump counted, when softflowd has sent all it saw */
  async observe(port: number, softflowdArguments: readonly string[], seconds: number): Promise<Counts> {
    this.#runs += 1;
    const at = (name: string) => join(this.#directory, `${name}${this.#runs}`);
    const dumpFile = at('dump');
    // As much memory as it needs, and only the headers: it must not lose any.
    const tcpdump = `tcpdump --immediate-mode -U -B 65536 -s 128 -i vb -Z root -w ${dumpFile}`;
    const dump = this.#start(this.#server, ...tcpdump.split(' '));
    await this.#waitFor(dump, 'listening on');
    const flags = ['-i', 'vb', '-n', `127.0.0.1:${port}`, '-d', '-6', '-p', at('pid'), '-c', at('control')];
    const softflowd = this.#start(this.#server, 'softflowd', ...flags, ...softflowdArguments);
    await this.#waitFor(softflowd, 'Exporting flows');
    const servers = this.#start(this.#server, process.execPath, '-e', SERVERS);
    await this.#waitFor(servers, 'ready');
    const client = this.#start(
      this.#client,
      process.execPath,
      '-e',
      CLIENT_PROGRAM,
      SERVER.v4,
      SERVER.v6,
      String(seconds),
    );
    for (const address of [SERVER.v4, SERVER.v6]) {
      execFileSync('ip', ['netns', 'exec', this.#client, 'ping', '-q', '-c', '5', '-i', '0.05', address]);
    }

    await client.closed;

    servers.child.stdin?.end();
    await this.#pushOut(at('control'), dumpFile);

    this.#control(at('control'), 'expire-all');
    await delay(500);

    await this.#stop(softflowd, 'SIGTERM');

    await this.#stop(dump, 'SIGINT');
    if (!/^0 packets dropped by kernel/m.test(dump.output)) throw new Error(`tcpdump lost packets: ${dump.output}`);
    return readDump(dumpFile);
  }

  destroy(): void {
    for (const { child } of this.#programs) if (child.exitCode === null) child.kill('SIGKILL');
    this.#namespaces.destroy();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
