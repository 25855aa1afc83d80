import { MAPPED_WORD } from '../../net/addresses';
import { hasPorts, headerBytes, IPPROTO, isIcmp } from '../../net/protocols';
import { DIRECTION, FLOW_FLAGS } from '../ebpf/layout';
import { KEY_WORDS, WORD } from '../flow-table';

/** What became of a frame. */
export const FRAME = { flow: 0, notIp: 1, malformed: 2 } as const;
export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

const ETHERTYPE_AT = 12;
const ETHERNET_BYTES = 14;
const MAX_IN_BAND_TAGS = 2;
const IPV6_BYTES = 40;
const FRAGMENT_BYTES = 8;
const TCP_BYTES_READ = 14;

/** IPv6 extension headers that may precede the transport header; each carries its own length. */
const EXTENSION = {
  hopByHop: 0,
  routing: 43,
  fragment: 44,
  authentication: 51,
  destination: 60,
  mobility: 135,
} as const;
const EXTENSIONS: ReadonlySet<number> = new Set(Object.values(EXTENSION));
export const MAX_EXTENSIONS = 6;
/** A packet that is put together from many says 0 where its length does not fit 16 bits. */
export const MAX_DECLARED_LENGTH = 0xffff;

/**
 * Reads the key of a frame as the eBPF program does (capture/ebpf/program.ts), for the packet ring. An instance is
 * reused for every frame: `key` and `flags` hold the last result.
 */
export class FrameKey {
  readonly key = new Uint32Array(KEY_WORDS);
  flags = 0;

  /**
   * @param bytes memory that holds the frame from `at` on, `captured` of its `length` bytes
   * @param vlan number of a tag the kernel has moved out of the frame, 0 without
   */
  read(
    bytes: Uint8Array,
    at: number,
    captured: number,
    length: number,
    vlan: number,
    outgoing: boolean,
    ifindex: number,
  ): FrameKind {
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
    this.key.fill(0);
    this.flags = 0;
    this.key[WORD.tags] = (outer | ((outgoing ? DIRECTION.toGuest : DIRECTION.fromGuest) << 24)) >>> 0;
    this.key[WORD.ifindex] = ifindex;
    if (ethertype === 0x0800) return this.readIpv4(bytes, ip, end, length);
    return ethertype === 0x86dd ? this.readIpv6(bytes, ip, end, length) : FRAME.notIp;
  }

  private readIpv4(bytes: Uint8Array, ip: number, end: number, length: number): FrameKind {
    if (ip + 20 > end) return FRAME.malformed;
    const version = bytes[ip] as number;
    if (version >> 4 !== 4 || (version & 15) < 5) return FRAME.malformed;
    const protocol = bytes[ip + 9] as number;
    const { key } = this;
    for (const [part, from] of [
      [WORD.source, 12],
      [WORD.destination, 16],
    ] as const) {
      key[part + 2] = MAPPED_WORD;
      key[part + 3] = le32(bytes, ip + from);
    }
    this.setProtocol(protocol);
    const header = 4 * (version & 15);
    const room = declaredLength(be16(bytes, ip + 2), length) - header;
    if ((be16(bytes, ip + 6) & 0x1fff) === 0) this.readTransport(bytes, ip + header, end, room, protocol);
    return FRAME.flow;
  }

  private readIpv6(bytes: Uint8Array, ip: number, end: number, length: number): FrameKind {
    if (ip + IPV6_BYTES > end || (bytes[ip] as number) >> 4 !== 6) return FRAME.malformed;
    for (let word = 0; word < 8; word += 1) this.key[word] = le32(bytes, ip + 8 + 4 * word);
    let protocol = bytes[ip + 6] as number;
    let at = ip + IPV6_BYTES;
    let room = declaredLength(be16(bytes, ip + 4), length);
    for (let depth = 0; depth < MAX_EXTENSIONS && EXTENSIONS.has(protocol); depth += 1) {
      const isFragment = protocol === EXTENSION.fragment;
      if (at + 4 > end) break;
      const units = bytes[at + 1] as number;
      const size = isFragment ? FRAGMENT_BYTES : protocol === EXTENSION.authentication ? 4 * units + 8 : 8 * units + 8;
      if (size > room) break;
      protocol = bytes[at] as number;
      // What follows the header of a later fragment is the middle of something.
      if (isFragment && (be16(bytes, at + 2) & 0xfff8) !== 0) room = 0;
      else room -= size;
      at += size;
      if (room === 0) break;
    }
    this.setProtocol(protocol);
    if (!EXTENSIONS.has(protocol)) this.readTransport(bytes, at, end, room, protocol);
    return FRAME.flow;
  }

  private setProtocol(protocol: number): void {
    this.key[WORD.tags] = ((this.key[WORD.tags] as number) | (protocol << 16)) >>> 0;
  }

  /** @param room bytes of the packet from `at` on, as its own header says: what follows them is padding */
  private readTransport(bytes: Uint8Array, at: number, end: number, room: number, protocol: number): void {
    if (room < headerBytes(protocol)) return;
    if (protocol === IPPROTO.tcp) {
      if (at + TCP_BYTES_READ > end) return;
      const flags = bytes[at + 13] as number;
      const handshake = flags & (FLOW_FLAGS.syn | FLOW_FLAGS.ack);
      this.key[WORD.ports] = le32(bytes, at);
      this.flags = flags;
      if (handshake === FLOW_FLAGS.syn) this.flags |= FLOW_FLAGS.opened;
      else if (handshake === (FLOW_FLAGS.syn | FLOW_FLAGS.ack)) this.flags |= FLOW_FLAGS.answered;
      return;
    }
    if (at + 4 > end) return;
    if (hasPorts(protocol)) this.key[WORD.ports] = le32(bytes, at);
    // Type and code stand where others have the source port; the key keeps them as destination port.
    else if (isIcmp(protocol)) this.key[WORD.ports] = (le32(bytes, at) << 16) >>> 0;
  }
}

/** Length of a packet, or of what follows its IPv6 header, as the header says it. */
const declaredLength = (declared: number, frame: number): number =>
  declared === 0 && frame > MAX_DECLARED_LENGTH ? MAX_DECLARED_LENGTH : declared;

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
