import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Packets and bytes of a flow as tcpdump tells them. Keyed `protocol source:port > destination:port vlan`. */
export type DumpedFlows = Map<string, { packets: number; bytes: number }>;

const LINE =
  /^\S+ > \S+, (?:ethertype 802\.1Q \(0x8100\), length (\d+): vlan (\d+), p \d+(?:, DEI)?, ethertype IPv4 \(0x0800\),? |ethertype IPv4 \(0x0800\), length (\d+): )(?:\(.*?\) )?([\d.]+) > ([\d.]+): (.*)$/;

/** tcpdump on one interface and direction, into a file. Has to be started inside the namespace. */
export class Tcpdump {
  private readonly child: ChildProcess;
  private errors = '';

  private constructor(
    interfaceName: string,
    direction: 'in' | 'out',
    private readonly file: string,
  ) {
    const args = [
      '--immediate-mode',
      '-i',
      interfaceName,
      '-Q',
      direction,
      '-s',
      '128',
      '-B',
      '65536',
      '-w',
      file,
      '-Z',
      'root',
      '-n',
    ];
    this.child = spawn('tcpdump', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child.stderr?.on('data', (data) => {
      this.errors += data;
    });
  }

  static async start(interfaceName: string, direction: 'in' | 'out', file: string): Promise<Tcpdump> {
    const dump = new Tcpdump(interfaceName, direction, file);
    while (!dump.errors.includes('listening on')) {
      if (dump.child.exitCode !== null) throw new Error(`tcpdump: ${dump.errors}`);
      await sleep(20);
    }
    return dump;
  }

  /** Ends the capture. @returns its IPv4 flows. @throws when tcpdump itself lost packets */
  async stop(): Promise<DumpedFlows> {
    await sleep(300);
    const closed = once(this.child, 'close');
    this.child.kill('SIGINT');
    await closed;
    if (!/^0 packets dropped by kernel/m.test(this.errors)) throw new Error(`tcpdump lost packets: ${this.errors}`);
    return readDump(this.file);
  }

  /** Frames in the capture file, of whatever kind. Only after `stop`. */
  frames(): number {
    const text = execFileSync('tcpdump', ['-r', this.file, '--count'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(text, 10);
  }

  /** Ends the capture without result, if it still runs. */
  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/**
 * Reads a capture file, without multicast memberships, with tcpdump's own decoder: an implementation of the packet
 * formats that is independent of this project.
 */
function readDump(file: string): DumpedFlows {
  const text = execFileSync('tcpdump', ['-r', file, '-nn', '-e', '-t'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const flows: DumpedFlows = new Map();
  for (const line of text.split('\n')) {
    const match = LINE.exec(line);
    if (!match || line.includes(': igmp ')) continue;
    const [, taggedLength, vlan, length, source, destination, rest] = match;
    const key = flowKey(parseProtocol(rest as string), source as string, destination as string, Number(vlan ?? 0));
    const flow = flows.get(key) ?? { packets: 0, bytes: 0 };
    flow.packets += 1;
    flow.bytes += Number(taggedLength ?? length);
    flows.set(key, flow);
  }
  return flows;
}

/** Key of a flow. @param source address, followed by a dot and the port where there is one, as tcpdump writes it */
export function flowKey(protocol: string, source: string, destination: string, vlan: number): string {
  return `${protocol} ${source} > ${destination} vlan ${vlan}`;
}

function parseProtocol(rest: string): string {
  if (/^tcp\b/i.test(rest) || rest.startsWith('Flags')) return 'tcp';
  if (/^udp\b/i.test(rest)) return 'udp';
  if (rest.startsWith('ICMP')) return 'icmp';
  // A later fragment.
  const number = /^ip-proto-(\d+)/.exec(rest)?.[1];
  if (number !== undefined) return { 1: 'icmp', 6: 'tcp', 17: 'udp' }[number] ?? number;
  return rest.split(/[ ,]/)[0] ?? '';
}
