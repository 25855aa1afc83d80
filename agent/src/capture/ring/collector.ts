import type { CaptureSource } from '../capture';
import { FlowTable, KEY_WORDS } from '../flow-table';
import { FRAME, FrameKey } from './frame-key';
import { PacketRing, type RingFrame } from './packet-ring';

const POLL_MILLISECONDS = { busy: 10, idle: 100 } as const;
const BLOCKS_PER_TURN = 8;

/** Counts flows in this process from a packet ring: for kernels or privileges without eBPF. */
export class RingCapture implements CaptureSource {
  readonly name = 'ring';
  private readonly ring = new PacketRing();
  private readonly reader = new FrameKey();
  private readonly staged = new FlowTable();
  private readonly watched = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private notIp = 0;
  private malformed = 0;
  private full = { packets: 0, bytes: 0 };

  constructor() {
    this.schedule(POLL_MILLISECONDS.idle);
  }

  attach(ifindex: number): void {
    if (this.watched.has(ifindex)) return;
    this.ring.watch([...this.watched, ifindex]);
    this.watched.add(ifindex);
  }

  detach(ifindex: number): void {
    if (!this.watched.delete(ifindex)) return;
    this.ring.watch(this.watched);
  }

  async drain(table: FlowTable): Promise<void> {
    this.ring.read(this.take);
    const { staged } = this;
    for (let row = 0; row < staged.size; row += 1) {
      table.add(
        staged.keys,
        row * KEY_WORDS,
        staged.packets[row] as number,
        staged.bytes[row] as number,
        staged.first[row] as number,
        staged.last[row] as number,
        staged.flags[row] as number,
      );
    }
    this.full.packets += staged.overflow.packets;
    this.full.bytes += staged.overflow.bytes;
    staged.startInterval();
    staged.forget(Number.POSITIVE_INFINITY);
  }

  fill(): number {
    return this.staged.size / 65_536;
  }

  counts(): Record<string, number> {
    this.ring.updateDrops();
    return {
      not_ip_packets: this.notIp,
      malformed_packets: this.malformed,
      table_full_packets: this.full.packets,
      table_full_bytes: this.full.bytes,
      kernel_drops: this.ring.drops,
    };
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.ring.close();
  }

  private schedule(delay: number): void {
    this.timer = setTimeout(() => {
      const blocks = this.ring.read(this.take, BLOCKS_PER_TURN);
      this.schedule(blocks > 1 ? POLL_MILLISECONDS.busy : POLL_MILLISECONDS.idle);
    }, delay);
  }

  private readonly take = (frame: RingFrame): void => {
    const kind = this.reader.read(
      frame.bytes,
      frame.at,
      frame.captured,
      frame.length,
      frame.vlan,
      frame.outgoing,
      frame.ifindex,
    );
    if (kind === FRAME.notIp) this.notIp += 1;
    else if (kind === FRAME.malformed) this.malformed += 1;
    else this.staged.add(this.reader.key, 0, 1, frame.length, frame.time, frame.time, this.reader.flags);
  };
}
