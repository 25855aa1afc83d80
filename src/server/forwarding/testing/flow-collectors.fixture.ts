import { spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type DecodedMessage, IpfixCollector } from '@/domain/forwarding/ipfix-decoder.fixture';
import { startProgram } from './receivers.fixture';

/** A flow as a collector stored it. */
export type CollectedFlow = { source_ip: string; protocol: string; packets: number; bytes: number };

/** A UDP port of this machine that nothing uses now. */
export async function findFreeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

/** What the kernel reports for a socket on loopback: bytes that the program has not read, and datagrams it lost. */
function readSocket(port: number): { waiting: number; dropped: number } | null {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const line = readFileSync('/proc/net/udp', 'utf8')
    .split('\n')
    .map((text) => text.trim().split(/\s+/))
    .find((fields) => fields[1] === address);
  return line ? { waiting: Number.parseInt(line[4]?.split(':')[1] ?? '', 16), dropped: Number(line.at(-1)) } : null;
}

/** The socket has read everything that was sent to it, and lost nothing. */
export async function expectAllRead(port: number): Promise<void> {
  await expect.poll(() => readSocket(port)).toEqual({ waiting: 0, dropped: 0 });
}

/** nfcapd of the system package, with the buffers that the system gives it. It stores its flows when it ends. */
export async function startNfcapd(directory: string, port: number) {
  const [flows, log] = [join(directory, 'flows'), join(directory, 'nfcapd.log')];
  mkdirSync(flows);
  const args = ['-b', '127.0.0.1', '-p', String(port), '-w', flows, '-t', '3600'];
  const program = startProgram('nfcapd', args, openSync(log, 'w'));
  await expect.poll(() => readSocket(port)).not.toBeNull();
  await expect.poll(() => readFileSync(log, 'utf8')).toContain('Startup nfcapd');
  const dump = (...more: string[]) =>
    spawnSync('nfdump', ['-R', flows, ...more], { encoding: 'utf8', maxBuffer: 1e9 }).stdout;
  return {
    ...program,
    readLog: () => readFileSync(log, 'utf8'),
    /** Of what it stored when it ended. */
    readFlows: (): CollectedFlow[] =>
      dump('-o', 'csv', '-q')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [, , , source_ip = '', , , , protocol = '', , , , packets, bytes] = line.split(',');
          return { source_ip, protocol: protocol.toLowerCase(), packets: Number(packets), bytes: Number(bytes) };
        }),
    readSequenceFailures: (): number => Number(/^Sequence failures: (\d+)/m.exec(dump('-I'))?.[1]),
    /** When the first flow began and the last one ended, in milliseconds. */
    readSpan: (): { first: number; last: number } => {
      const summary = dump('-I');
      const read = (name: string) => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(summary)?.[1]);
      return { first: read('First') * 1000 + read('msec_first'), last: read('Last') * 1000 + read('msec_last') };
    },
  };
}

type Purged = { ip_src: string; ip_proto: string; flows?: number; packets?: number; bytes?: number };

/** nfacctd of pmacct, which adds up by addresses and ports and writes every second what it added up. */
export async function startNfacctd(directory: string, port: number) {
  const [config, output, log] = ['pmacct.conf', 'pmacct.json', 'nfacctd.log'].map((name) => join(directory, name));
  if (!config || !output || !log) throw new Error('expected three paths');
  writeFileSync(
    config,
    `daemonize: false
nfacctd_ip: 127.0.0.1
nfacctd_port: ${port}
nfacctd_time_new: true
plugins: print[flows]
aggregate[flows]: src_host, dst_host, src_port, dst_port, proto, flows
print_output[flows]: json
print_output_file[flows]: ${output}
print_output_file_append[flows]: true
print_refresh_time[flows]: 1
print_cache_entries[flows]: 8191
`,
  );
  const program = startProgram('/usr/sbin/nfacctd', ['-f', config], openSync(log, 'w'));
  await expect.poll(() => readFileSync(log, 'utf8')).toContain('waiting for NetFlow/IPFIX data');
  return {
    ...program,
    readLog: () => readFileSync(log, 'utf8'),
    readRows: (): (CollectedFlow & { flows: number })[] =>
      (existsSync(output) ? readFileSync(output, 'utf8') : '')
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Purged)
        // Flows without counters have none of the three.
        .map(({ ip_src: source_ip, ip_proto: protocol, flows = 0, packets = 0, bytes = 0 }) => {
          return { source_ip, protocol, flows, packets, bytes };
        }),
  };
}

/** A collector in this process, that reads with the decoder of the tests. */
export async function startCollector(port = 0) {
  const messages: DecodedMessage[] = [];
  const collector = new IpfixCollector();
  let isOpen = true;
  const socket: Socket = createSocket('udp4', (bytes) => messages.push(collector.read(bytes)));
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await new Promise<void>((resolve) => socket.close(resolve));
  };
  return {
    port: socket.address().port,
    messages,
    /** Ends as soon as so many messages with data were read. */
    closeAfter: (count: number) => {
      socket.on('message', () => {
        if (messages.filter(({ records }) => records.length > 0).length >= count) void close();
      });
    },
    /** Data records. `ends`: addresses and ports. */
    readRecords: () =>
      messages.flatMap(({ records }) =>
        records.map(({ values }) => ({
          ends: [8, 27, 12, 28, 7, 11].map((element) => values.get(element) ?? '').join(' '),
          bytes: Number(values.get(1) ?? 0n),
          packets: Number(values.get(2) ?? 0n),
        })),
      ),
    close,
  };
}
