import type { FlowTable } from './flow-table';

/** A way to see the packets of interfaces. The kernel counter and the packet ring are two; the rest does not care. */
export interface CaptureSource {
  readonly name: 'ebpf' | 'ring';
  /** Starts on an interface. Doing it twice is harmless. @throws SystemCallError, also when the interface just vanished */
  attach(ifindex: number): void;
  detach(ifindex: number): void;
  /** Adds what was counted since the last drain to the table. @throws SystemCallError */
  drain(table: FlowTable): Promise<void>;
  /** Part of the room for flows that is used, 0 … 1: tells when to drain early. */
  fill(): number;
  /** Losses and oddities since the start, for the diagnostics. */
  counts(): Record<string, number>;
  /** Lets a drain in progress end first. */
  close(): Promise<void>;
}
