import { hasPorts, IPPROTO } from '../../net/protocols';
import { DIRECTION, FLOW_FLAGS } from '../ebpf/layout';

/** What became of a frame. */
export const FRAME = { flow: 0, notIpv4: 1, malformed: 2 } as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

const ETHERTYPE_AT = 12;
const ETHERNET_BYTES = 14;
const MAX_IN_BAND_TAGS = 2;

/**
 * Reads the key of a frame as the eBPF program does (capture/ebpf/program.ts), for the packet ring. An instance is
 * reused for every frame: `key` and `flags` hold the last result.
 */
export class FrameKey {
  readonly key = new Uint32Array(5);
  flags = 0;

  /**
   * @param bytes memory that holds the frame from `at` on, `captured` bytes of it
   * @param vlan number of a tag the kernel has moved out of the frame, 0 without
   */
  read(bytes: Uint8Array, at: number, captured: number, vlan: number, outgoing: boolean, ifindex: number): FrameKind {
    let outer = vlan;
    let ip = at + ETHERNET_BYTES;
    const end = at + captured;
    if (ip > end) return FRAME.malformed;
    let ethertype = be16(bytes, at + ETHERTYPE_AT);
    for (let depth = 0; depth < MAX_IN_BAND_TAGS && isTag(ethertype); depth += 1) {
      if (ip + 4 > end) return FRAME.malformed;
      if (outer === 0) outer = be16(bytes, ip) & 0xfff;
      ethertype = be16(bytes, ip + 2);
      ip += 4;
    }
    if (ethertype !== 0x0800) return FRAME.notIpv4;
    if (ip + 20 > end) return FRAME.malformed;
    const version = bytes[ip] as number;
    if (version >> 4 !== 4 || (version & 15) < 5) return FRAME.malformed;

    const protocol = bytes[ip + 9] as number;
    const { key } = this;
    key[0] = le32(bytes, ip + 12);
    key[1] = le32(bytes, ip + 16);
    key[2] = 0;
    key[3] = (outer | (protocol << 16) | ((outgoing ? DIRECTION.toGuest : DIRECTION.fromGuest) << 24)) >>> 0;
    key[4] = ifindex;
    this.flags = 0;
    if ((be16(bytes, ip + 6) & 0x1fff) === 0) this.readTransport(bytes, ip + 4 * (version & 15), end, protocol);
    return FRAME.flow;
  }

  private readTransport(bytes: Uint8Array, at: number, end: number, protocol: number): void {
    if (protocol === IPPROTO.tcp) {
      if (at + 14 > end) return;
      const flags = bytes[at + 13] as number;
      const handshake = flags & (FLOW_FLAGS.syn | FLOW_FLAGS.ack);
      this.key[2] = le32(bytes, at);
      this.flags = flags;
      if (handshake === FLOW_FLAGS.syn) this.flags |= FLOW_FLAGS.opened;
      else if (handshake === (FLOW_FLAGS.syn | FLOW_FLAGS.ack)) this.flags |= FLOW_FLAGS.answered;
      return;
    }
    if (at + 4 > end) return;
    if (hasPorts(protocol)) this.key[2] = le32(bytes, at);
    // Type and code stand where others have the source port; the key keeps them as destination port.
    else if (protocol === IPPROTO.icmp) this.key[2] = (le32(bytes, at) << 16) >>> 0;
  }
}

function isTag(ethertype: number): boolean {
  return ethertype === 0x8100 || ethertype === 0x88a8 || ethertype === 0x9100;
}

function be16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

function le32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}
