import type { CollectorState } from '@fabric/agent-contract';
import type { CaptureSnapshot } from '../flows/capture-flows';
import { type Clock, monotonic } from '../sys/clock';
import { Conversations } from './conversations';
import { EbpfCapture } from './ebpf/collector';
import { FlowTable, WORD } from './flow-table';
import { InterfaceWatch } from './interface-watch';
import { RingCapture } from './ring/collector';

/** A way to see the packets of interfaces. The kernel counter and the packet ring are two; the rest does not care. */
export interface CaptureSource {
  readonly name: 'ebpf' | 'ring';
  /** Starts on an interface. Doing it twice is harmless. @throws SystemCallError, also when the interface just vanished */
  attach(ifindex: number): void;
  detach(ifindex: number): void;
  /** Adds what was counted since the last drain to the table. @throws SystemCallError */
  drain(table: FlowTable): Promise<void>;
  /** Used share of the capacity for flows, 0 … 1: shows when to drain early. */
  fill(): number;
  /** Losses and oddities since the start, for the diagnostics. */
  counts(): Record<string, number>;
  /** Lets a drain in progress end first. */
  close(): Promise<void>;
}

const SCAN_MILLISECONDS = 3000;
/**
 * Heartbeats drain; this is for long intervals between them. Infrequent, since a flow costs the same at each drain, however
 * many packets it had. A filling map is drained immediately.
 */
const DRAIN_MILLISECONDS = 60_000;
const TICK_MILLISECONDS = { shortest: 100, longest: 1000 } as const;
/** A map this full is drained immediately. */
const FULL_ENOUGH = 0.5;
export const IDLE_MILLISECONDS = 10 * 60 * 1000;

type MakeSource = () => CaptureSource;

/** Packet capture on all guest interfaces: the best way that works, interfaces as they come and go, regular drains. */
export class Capture {
  private readonly table = new FlowTable();
  private readonly source: CaptureSource | null;
  private readonly failures: string[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private scanned = Number.NEGATIVE_INFINITY;
  private drained: number;
  private since: number;
  private lastFill = 0;
  /** What failed when it was last done. */
  private readonly errors = new Map<'scan' | 'drain' | 'fill', string>();

  /** Tries the ways in order; when none works, `isActive` is false and the diagnostics say why. */
  constructor(
    private readonly clock: Clock = Date.now,
    private readonly watch = new InterfaceWatch(),
    ways: readonly MakeSource[] = [() => new EbpfCapture(), () => new RingCapture()],
  ) {
    this.source = this.firstThatWorks(ways);
    this.since = clock();
    this.drained = monotonic();
  }

  get isActive(): boolean {
    return this.source !== null;
  }

  /** Number of interfaces captured on. */
  get interfaces(): number {
    return this.watch.present.size;
  }

  start(): void {
    if (!this.source) return;
    this.scan();
    this.schedule(TICK_MILLISECONDS.longest);
  }

  /** Fetches what the kernel has counted. Afterwards `snapshot()` is complete up to now. */
  async drain(): Promise<void> {
    try {
      await this.source?.drain(this.table);
      this.drained = monotonic();
      this.lastFill = 0;
      this.errors.delete('drain');
    } catch (error) {
      this.noteError('drain', error);
    }
  }

  /** What was seen since the last `startInterval()`; null without capture. Valid until the next await. */
  snapshot(): CaptureSnapshot | null {
    if (!this.source) return null;
    return {
      collector: this.source.name,
      table: this.table,
      conversations: new Conversations(this.table),
      names: this.watch.names,
      since: this.since,
    };
  }

  startInterval(): void {
    this.since = this.clock();
    this.table.startInterval();
    this.table.forget(this.since - IDLE_MILLISECONDS, this.since + IDLE_MILLISECONDS);
    const used = new Set<number>();
    for (let row = 0; row < this.table.size; row += 1) used.add(this.table.word(row, WORD.ifindex));
    this.watch.forget((index) => used.has(index));
  }

  state(): CollectorState {
    const name = 'packet_capture';
    if (!this.source) return { name, state: 'unavailable', detail: this.failures.join('; ').slice(0, 500) };
    const counts = { ...this.source.counts(), overflow_packets: this.table.overflow.packets };
    const losses = ['table_full_packets', 'kernel_drops', 'overflow_packets'] as const;
    const hasLosses = losses.some((loss) => ((counts as Record<string, number>)[loss] ?? 0) > 0);
    const detail = [`${this.source.name} on ${this.interfaces} interfaces`, ...this.failures, ...this.errors.values()];
    return {
      name,
      state: hasLosses || this.errors.size > 0 ? 'degraded' : 'active',
      detail: detail.join('; ').slice(0, 500),
      counts,
    };
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.source?.close();
  }

  private firstThatWorks(ways: readonly MakeSource[]): CaptureSource | null {
    for (const make of ways) {
      try {
        return make();
      } catch (error) {
        this.failures.push(error instanceof Error ? error.message : String(error));
      }
    }
    return null;
  }

  private schedule(delay: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.tick(), delay);
  }

  private async tick(): Promise<void> {
    const started = monotonic();
    if (started - this.scanned >= SCAN_MILLISECONDS) this.scan();
    const fill = this.fill();
    const gained = Math.max(0, fill - this.lastFill);
    this.lastFill = fill;
    if (fill >= FULL_ENOUGH || started - this.drained >= DRAIN_MILLISECONDS) await this.drain();
    // Look again before another quarter of the map can be filled at the present rate.
    const untilQuarter = gained > 0 ? (TICK_MILLISECONDS.longest * 0.25) / gained : Number.POSITIVE_INFINITY;
    this.schedule(Math.max(TICK_MILLISECONDS.shortest, Math.min(TICK_MILLISECONDS.longest, untilQuarter)));
  }

  private fill(): number {
    try {
      const fill = this.source?.fill() ?? 0;
      this.errors.delete('fill');
      return fill;
    } catch (error) {
      this.noteError('fill', error);
      return 0;
    }
  }

  private scan(): void {
    this.scanned = monotonic();
    this.errors.delete('scan');
    try {
      const { added, removed } = this.watch.scan();
      for (const index of removed.keys()) this.source?.detach(index);
      for (const index of added.keys()) this.attach(index);
    } catch (error) {
      this.noteError('scan', error);
    }
  }

  private attach(index: number): void {
    try {
      this.source?.attach(index);
    } catch (error) {
      // The interface is often just gone again; otherwise the next scan retries.
      this.watch.present.delete(index);
      this.noteError('scan', error);
    }
  }

  private noteError(during: 'scan' | 'drain' | 'fill', error: unknown): void {
    this.errors.set(during, error instanceof Error ? error.message : String(error));
  }
}
