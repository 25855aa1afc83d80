import { SystemCallError } from '../../sys/errno';
import { allocateMemory, int32, libc, type Memory, packetAddress, toDataView } from '../../sys/libc';
import { interfaceFilter } from './interface-filter';

// linux/if_packet.h
const AF_PACKET = 17;
const SOCK_RAW_CLOEXEC_NONBLOCK = 3 | 0o2000000 | 0o4000;
const SOL_SOCKET = 1;
const SOL_PACKET = 263;
const SO_ATTACH_FILTER = 26;
const PACKET_RX_RING = 5;
const PACKET_STATISTICS = 6;
const PACKET_VERSION = 10;
const TPACKET_V3 = 2;
const BLOCK_BYTES = 262_144;
const BLOCKS = 64;
const FRAME_BYTES = 2048;
const RETIRE_MILLISECONDS = 50;
/** Enough for two tags, the longest IP header and the TCP flags. */
const SNAP_BYTES = 100;
const STATUS_USER = 1;
const STATUS_VLAN_VALID = 0x10;
/** sockaddr_ll follows the 48 byte struct tpacket3_hdr. */
const ADDRESS_AT = 48;
const PACKET_OUTGOING = 4;

/** One frame in the ring; valid only during the call. */
export type RingFrame = {
  bytes: Uint8Array;
  at: number;
  captured: number;
  /** Length on the wire, its VLAN tag included. */
  length: number;
  vlan: number;
  outgoing: boolean;
  ifindex: number;
  /** Wall milliseconds. */
  time: number;
};

/** A TPACKET_V3 receive ring of 16 MiB for all interfaces together, read without a system call per packet. */
export class PacketRing {
  /** Packets the kernel had no room for, since the ring exists. */
  drops = 0;
  private readonly fd: number;
  private readonly mapped: { memory: ArrayBuffer; unmap(): void };
  private readonly bytes: Uint8Array;
  private readonly words: Int32Array;
  private readonly view: DataView;
  private block = 0;
  private readonly frame: RingFrame;

  /** @throws SystemCallError (EPERM without CAP_NET_RAW) */
  constructor() {
    const c = libc();
    this.fd = c.socket(AF_PACKET, SOCK_RAW_CLOEXEC_NONBLOCK, 0);
    if (this.fd < 0) throw new SystemCallError('open packet socket', c.errno());
    try {
      this.option('choose TPACKET_V3', SOL_PACKET, PACKET_VERSION, int32(TPACKET_V3));
      this.watch([]);
      this.option('create packet ring', SOL_PACKET, PACKET_RX_RING, ringRequest());
      this.mapped = c.map(this.fd, BLOCK_BYTES * BLOCKS);
    } catch (error) {
      c.close(this.fd);
      throw error;
    }
    this.bytes = new Uint8Array(this.mapped.memory);
    this.words = new Int32Array(this.mapped.memory);
    this.view = new DataView(this.mapped.memory);
    this.frame = { bytes: this.bytes, at: 0, captured: 0, length: 0, vlan: 0, outgoing: false, ifindex: 0, time: 0 };
    const address = packetAddress(0);
    if (c.bind(this.fd, address, address.length) < 0) {
      const number = c.errno();
      this.close();
      throw new SystemCallError('bind packet socket', number);
    }
  }

  /** Sets the interfaces whose frames are kept; the swap is atomic. */
  watch(indexes: Iterable<number>): void {
    const filter = interfaceFilter(indexes, SNAP_BYTES);
    const program = allocateMemory(16);
    toDataView(program).setUint16(0, filter.length / 8, true);
    toDataView(program).setBigUint64(8, libc().address(filter), true);
    this.option('attach packet filter', SOL_SOCKET, SO_ATTACH_FILTER, program);
  }

  /** Hands over every frame of the blocks that are ready. @returns number of blocks read */
  read(take: (frame: RingFrame) => void, maxBlocks = BLOCKS): number {
    for (let done = 0; done < maxBlocks; done += 1) {
      const start = this.block * BLOCK_BYTES;
      const status = start / 4 + 2;
      if ((Atomics.load(this.words, status) & STATUS_USER) === 0) return done;
      this.readBlock(start, take);
      Atomics.store(this.words, status, 0);
      this.block = (this.block + 1) % BLOCKS;
    }
    return maxBlocks;
  }

  /** Asks the kernel for packets dropped since the last time and adds them to `drops`. */
  updateDrops(): void {
    const answer = allocateMemory(16);
    const length = allocateMemory(4);
    toDataView(length).setUint32(0, 12, true);
    if (libc().getsockopt(this.fd, SOL_PACKET, PACKET_STATISTICS, answer, length) === 0) {
      this.drops += toDataView(answer).getUint32(4, true);
    }
  }

  close(): void {
    this.mapped?.unmap();
    libc().close(this.fd);
  }

  private readBlock(start: number, take: (frame: RingFrame) => void): void {
    const { view, frame } = this;
    const packets = view.getUint32(start + 12, true);
    let header = start + view.getUint32(start + 16, true);
    for (let i = 0; i < packets; i += 1) {
      const tagged = (view.getUint32(header + 20, true) & STATUS_VLAN_VALID) !== 0;
      frame.at = header + view.getUint16(header + 24, true);
      frame.captured = view.getUint32(header + 12, true);
      frame.length = view.getUint32(header + 16, true) + (tagged ? 4 : 0);
      frame.vlan = tagged ? view.getUint32(header + 32, true) & 0xfff : 0;
      frame.time = view.getUint32(header + 4, true) * 1000 + view.getUint32(header + 8, true) / 1e6;
      frame.ifindex = view.getInt32(header + ADDRESS_AT + 4, true);
      frame.outgoing = view.getUint8(header + ADDRESS_AT + 10) === PACKET_OUTGOING;
      take(frame);
      header += view.getUint32(header, true);
    }
  }

  private option(what: string, level: number, name: number, value: Memory): void {
    const c = libc();
    if (c.setsockopt(this.fd, level, name, value, value.length) < 0) throw new SystemCallError(what, c.errno());
  }
}

/** struct tpacket_req3 */
function ringRequest(): Memory {
  const bytes = allocateMemory(28);
  const fields = [BLOCK_BYTES, BLOCKS, FRAME_BYTES, (BLOCK_BYTES / FRAME_BYTES) * BLOCKS, RETIRE_MILLISECONDS, 0, 0];
  fields.forEach((value, i) => {
    toDataView(bytes).setUint32(i * 4, value, true);
  });
  return bytes;
}
