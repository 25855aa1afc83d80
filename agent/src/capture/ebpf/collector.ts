import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicOffset } from '../../sys/clock';
import { SystemCallError } from '../../sys/errno';
import { int32, libc, packetAddress } from '../../sys/libc';
import type { CaptureSource } from '../capture';
import { type FlowTable, KEY_WORDS } from '../flow-table';
import { loadProgram } from './bpf';
import { VALUE } from './layout';
import { type CaptureStatistics, type FlowBatch, FlowMaps } from './maps';
import { buildProgram } from './program';

const AF_PACKET = 17;
const SOCK_RAW_CLOEXEC_NONBLOCK = 3 | 0o2000000 | 0o4000;
const SOL_SOCKET = 1;
const SO_ATTACH_BPF = 50;

const DEFAULT_CAPACITY = 65_536;
/** Longer than any processor spends inside the filter: afterwards nothing writes to the map that was switched off. */
const SETTLE_MILLISECONDS = 25;
const VALUE_WORDS = VALUE.bytes / 4;

/** Counts flows in the kernel: a filter on one packet socket per interface. Nothing is copied and nothing is left behind. */
export class EbpfCapture implements CaptureSource {
  readonly name = 'ebpf';
  private readonly maps: FlowMaps;
  private readonly program: number;
  private readonly sockets = new Map<number, number>();
  private draining: Promise<void> = Promise.resolve();
  private insertsAtDrain = 0;

  /** @throws Error when koffi is missing, SystemCallError when the kernel refuses (EPERM without CAP_BPF) */
  constructor(readonly capacity: number = DEFAULT_CAPACITY) {
    this.maps = new FlowMaps(capacity);
    try {
      this.program = loadProgram('fabric_flows', buildProgram(this.maps.fds));
    } catch (error) {
      this.maps.close();
      throw error;
    }
  }

  attach(ifindex: number): void {
    if (this.sockets.has(ifindex)) return;
    const c = libc();
    // Protocol 0 until the filter stands, so that no unfiltered packet is ever queued.
    const fd = c.socket(AF_PACKET, SOCK_RAW_CLOEXEC_NONBLOCK, 0);
    if (fd < 0) throw new SystemCallError('open packet socket', c.errno());
    if (c.setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, int32(this.program), 4) < 0) {
      const number = c.errno();
      c.close(fd);
      throw new SystemCallError('attach eBPF filter', number);
    }
    const address = packetAddress(ifindex);
    if (c.bind(fd, address, address.length) < 0) {
      const number = c.errno();
      c.close(fd);
      throw new SystemCallError(`bind to interface ${ifindex}`, number);
    }
    this.sockets.set(ifindex, fd);
  }

  detach(ifindex: number): void {
    const fd = this.sockets.get(ifindex);
    if (fd === undefined) return;
    libc().close(fd);
    this.sockets.delete(ifindex);
  }

  fill(): number {
    return (this.maps.inserts() - this.insertsAtDrain) / this.capacity;
  }

  /** Concurrent calls run one after another: two simultaneous drains would empty a map that is still being written. */
  drain(table: FlowTable): Promise<void> {
    const next = this.draining.then(() => this.drainOnce(table));
    this.draining = next.catch(() => undefined);
    return next;
  }

  counts(): Record<string, number> {
    const { notIp, malformed, full }: CaptureStatistics = this.maps.statistics();
    return {
      not_ip_packets: notIp.packets,
      not_ip_bytes: notIp.bytes,
      malformed_packets: malformed.packets,
      table_full_packets: full.packets,
      table_full_bytes: full.bytes,
    };
  }

  async close(): Promise<void> {
    await this.draining;
    for (const fd of this.sockets.values()) libc().close(fd);
    this.sockets.clear();
    libc().close(this.program);
    this.maps.close();
  }

  private async drainOnce(table: FlowTable): Promise<void> {
    this.insertsAtDrain = this.maps.inserts();
    const map = this.maps.switchMaps();
    await sleep(SETTLE_MILLISECONDS);
    const offset = monotonicOffset();
    for (const batch of this.maps.take(map)) {
      addBatch(table, batch, offset);
      await sleep(0);
    }
  }
}

function addBatch(table: FlowTable, batch: FlowBatch, offset: number): void {
  const { keys, values } = batch;
  for (let i = 0; i < batch.count; i += 1) {
    const at = i * VALUE_WORDS;
    table.add(
      keys,
      i * KEY_WORDS,
      u64(values, at + VALUE.packets / 4),
      u64(values, at + VALUE.octets / 4),
      u64(values, at + VALUE.first / 4) / 1e6 + offset,
      u64(values, at + VALUE.last / 4) / 1e6 + offset,
      values[at + VALUE.flags / 4] as number,
    );
  }
}

/** Most counters fit the low word: adding a zero would make a floating point number of each. */
function u64(words: Uint32Array, at: number): number {
  const high = words[at + 1] as number;
  return high === 0 ? (words[at] as number) : (words[at] as number) + high * 2 ** 32;
}
