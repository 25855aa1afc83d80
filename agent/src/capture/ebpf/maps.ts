import { readFileSync } from 'node:fs';
import { errnoName, SystemCallError } from '../../sys/errno';
import { allocateMemory, int32, libc, toDataView } from '../../sys/libc';
import { bpf, bpfAttr, createMap, lookupElement, updateElement } from './bpf';
import { KEY, STATISTICS, VALUE } from './layout';
import type { ProgramMaps } from './program';

const ENOENT = 2;
const ENOSPC = 28;
const BATCH_ENTRIES = 4096;

/** Frames and bytes counted by the program beside the flows. */
export type CaptureStatistic = { packets: number; bytes: number };
export type CaptureStatistics = Record<'notIp' | 'malformed' | 'full' | 'inserts', CaptureStatistic>;

/** One batch of flows: `count` keys of KEY.bytes and values of VALUE.bytes as 32 bit words. Valid until the next read. */
export type FlowBatch = { count: number; keys: Uint32Array; values: Uint32Array };

/**
 * The kernel side of the flow count: two maps of which one is being filled while the other is emptied, a switch between
 * them, and statistics.
 */
export class FlowMaps {
  readonly fds: ProgramMaps;
  private active: 0 | 1 = 0;
  private entries = BATCH_ENTRIES;
  private keys = allocateMemory(BATCH_ENTRIES * KEY.bytes);
  private values = allocateMemory(BATCH_ENTRIES * VALUE.bytes);
  private readonly cursors = [allocateMemory(8), allocateMemory(8)] as const;
  private readonly cpus = possibleCpus();

  /** @throws SystemCallError when the kernel refuses a map; nothing stays open then */
  constructor(readonly capacity: number) {
    const opened: number[] = [];
    const open = (...args: Parameters<typeof createMap>): number => {
      const fd = createMap(...args);
      opened.push(fd);
      return fd;
    };
    try {
      const flow = { type: 'hash', keyBytes: KEY.bytes, valueBytes: VALUE.bytes, entries: capacity } as const;
      this.fds = {
        flows: [open('fabric_flows_0', flow), open('fabric_flows_1', flow)],
        active: open('fabric_active', { type: 'array', keyBytes: 4, valueBytes: 4, entries: 1 }),
        statistics: open('fabric_stats', {
          type: 'perCpuArray',
          keyBytes: 4,
          valueBytes: STATISTICS.bytes,
          entries: STATISTICS.count,
        }),
      };
    } catch (error) {
      for (const fd of opened) libc().close(fd);
      throw error;
    }
  }

  /** Sends new frames to the other map. @returns the map to empty, once frames in flight have left it */
  switchMaps(): 0 | 1 {
    const previous = this.active;
    this.active = previous === 0 ? 1 : 0;
    updateElement(this.fds.active, int32(0), int32(this.active));
    return previous;
  }

  /**
   * Takes the flows out of a map, up to some thousands per step, so that the caller can yield in between.
   * @throws SystemCallError
   */
  *take(map: 0 | 1): Generator<FlowBatch> {
    const fd = this.fds.flows[map];
    for (let step = 0, done = false; !done; ) {
      const attr = bpfAttr();
      if (step > 0) attr.pointer(0, this.cursors[(step + 1) % 2] as (typeof this.cursors)[0]);
      attr.pointer(8, this.cursors[step % 2] as (typeof this.cursors)[0]);
      attr.pointer(16, this.keys);
      attr.pointer(24, this.values);
      attr.u32(32, this.entries);
      attr.u32(36, fd);
      const result = bpf('lookupAndDeleteBatch', attr.bytes);
      if (result === -ENOSPC) {
        this.growBuffers();
        continue;
      }
      if (result < 0 && result !== -ENOENT) throw new SystemCallError('empty eBPF map', -result);
      done = result === -ENOENT;
      step += 1;
      const count = toDataView(attr.bytes).getUint32(32, true);
      if (count > 0)
        yield { count, keys: new Uint32Array(this.keys.buffer), values: new Uint32Array(this.values.buffer) };
    }
  }

  /** Totals since the maps exist, summed over all processors. @throws Error */
  statistics(): CaptureStatistics {
    return {
      notIp: this.statistic(STATISTICS.notIp),
      malformed: this.statistic(STATISTICS.malformed),
      full: this.statistic(STATISTICS.full),
      inserts: this.statistic(STATISTICS.inserts),
    };
  }

  /** Flows inserted since the maps exist. Asked every second. @throws Error */
  inserts(): number {
    return this.statistic(STATISTICS.inserts).packets;
  }

  close(): void {
    for (const fd of [...this.fds.flows, this.fds.active, this.fds.statistics]) libc().close(fd);
  }

  private statistic(element: number): CaptureStatistic {
    const value = allocateMemory(STATISTICS.bytes * this.cpus);
    const words = new Uint32Array(value.buffer);
    if (!lookupElement(this.fds.statistics, int32(element), value)) {
      throw new Error(`eBPF statistics are unreadable: ${errnoName(libc().errno())}`);
    }
    let packets = 0;
    let bytes = 0;
    for (let cpu = 0; cpu < this.cpus; cpu += 1) {
      packets += (words[cpu * 4] as number) + (words[cpu * 4 + 1] as number) * 2 ** 32;
      bytes += (words[cpu * 4 + 2] as number) + (words[cpu * 4 + 3] as number) * 2 ** 32;
    }
    return { packets, bytes };
  }

  private growBuffers(): void {
    this.entries *= 2;
    this.keys = allocateMemory(this.entries * KEY.bytes);
    this.values = allocateMemory(this.entries * VALUE.bytes);
  }
}

/** Number of processors the kernel reserves per-CPU values for: the highest of a list such as `0-3,8`, plus one. */
function possibleCpus(): number {
  const list = readFileSync('/sys/devices/system/cpu/possible', 'utf8').trim();
  const last = Number(list.split(/[,-]/).at(-1));
  if (!Number.isInteger(last)) throw new Error(`cannot read the processor list: ${list}`);
  return last + 1;
}
