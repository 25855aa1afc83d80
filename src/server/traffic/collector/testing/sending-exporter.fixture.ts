import { createSocket, type Socket } from 'node:dgram';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import {
  encodeNetflow9,
  encodeSet,
  encodeTemplate,
  type Field,
  ip4,
  u8,
  u16,
  u32,
} from '@/domain/collector/encode-export.fixture';
import { sqlClient } from '@/server/db/client';
import { until } from '@/test/until';
import { type Collector, startCollector } from '../run-collector';

const FLOW: Field[] = [
  ...[[8, 4] as const, [12, 4] as const, [7, 2] as const, [11, 2] as const, [4, 1] as const],
  ...[[1, 4] as const, [2, 4] as const, [22, 4] as const, [21, 4] as const, [34, 4] as const],
];

export type SentFlow = {
  source: string;
  destination: string;
  source_port: number;
  destination_port: number;
  bytes: number;
  packets: number;
  /** How long ago it was seen, in milliseconds. */
  began_ago?: number;
  ended_ago?: number;
  protocol?: number;
  sampling?: number;
};

/** Up time of the device, in milliseconds. */
const UPTIME = 10_000_000;

const encodeFlow = (flow: SentFlow): Buffer => {
  const { began_ago = 5000, ended_ago = 1000, protocol = 6, sampling = 1 } = flow;
  return Buffer.concat([
    ...[ip4(flow.source), ip4(flow.destination), u16(flow.source_port), u16(flow.destination_port), u8(protocol)],
    ...[u32(flow.bytes), u32(flow.packets), u32(UPTIME - began_ago), u32(UPTIME - ended_ago), u32(sampling)],
  ]);
};

/** How many datagrams a collector has received. */
type Arrivals = { datagrams: number };

export type ReceivingCollector = Collector & { arrivals: Arrivals };

/** A collector on this machine, with a count of what has arrived there. */
export async function startReceivingCollector(): Promise<ReceivingCollector> {
  const arrivals = { datagrams: 0 };
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.on('message', () => {
      arrivals.datagrams += 1;
    });
  };
  subscribe('udp.socket', watch);
  try {
    return { ...(await startCollector({ host: '127.0.0.1', port: 0 })), arrivals };
  } finally {
    unsubscribe('udp.socket', watch);
  }
}

/** A device that sends NetFlow 9 to a collector, from an address of loopback. */
export class SendingExporter {
  #sequence = 0;
  readonly #socket = createSocket('udp4');

  private constructor(private readonly collector: ReceivingCollector) {}

  static async open(collector: ReceivingCollector, address = '127.0.0.1'): Promise<SendingExporter> {
    const exporter = new SendingExporter(collector);
    exporter.#socket.bind(0, address);
    await once(exporter.#socket, 'listening');
    return exporter;
  }

  /** A datagram with its template. */
  encode(flows: readonly SentFlow[], now = Date.now()): Buffer {
    this.#sequence += 1;
    const sets = [encodeSet(0, encodeTemplate(300, FLOW)), encodeSet(300, Buffer.concat(flows.map(encodeFlow)))];
    return encodeNetflow9({ uptime_ms: UPTIME, seconds: Math.floor(now / 1000), sequence: this.#sequence }, sets);
  }

  /** Skips sequence numbers, as if datagrams were lost. */
  lose(datagrams: number): void {
    this.#sequence += datagrams;
  }

  send(flows: readonly SentFlow[]): Promise<void> {
    return this.sendBytes(this.encode(flows));
  }

  /** Resolves when the collector has received it, which on a busy machine is some time after it was sent. */
  async sendBytes(bytes: Uint8Array): Promise<void> {
    const { address, arrivals } = this.collector;
    const before = arrivals.datagrams;
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(bytes, address.port, address.host, (error) => (error ? reject(error) : resolve()));
    });
    await until('a datagram arrives', () => arrivals.datagrams > before);
  }

  close(): void {
    this.#socket.close();
  }
}

/** What is stored of a node: the flows, and the totals by minute. */
export async function readStored(nodeId: string) {
  const sql = sqlClient();
  const flows = await sql<
    { source: string; destination: string; protocol: string; bytes: number; packets: number; collector: string }[]
  >`
    select host(source_ip) as source, host(destination_ip) as destination, protocol, bytes::float8 as bytes,
      packets::float8 as packets, collector, decision, raw->>'exporter' as exporter
    from traffic_flows where node_id = ${nodeId} order by source_ip, destination_ip, protocol, source_port, destination_port`;
  const [rolled] = await sql<{ bytes: number; packets: number }[]>`
    select coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(packets), 0)::float8 as packets
    from flow_rollup_minutes where node_id = ${nodeId}`;
  const sum = (name: 'bytes' | 'packets') => flows.reduce((total, flow) => total + flow[name], 0);
  return { flows, totals: { bytes: sum('bytes'), packets: sum('packets') }, rolled };
}
