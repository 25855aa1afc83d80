import { ipv4FromWord, ipv6FromBytes } from '../net/addresses';
import { hasPorts, IPPROTO } from '../net/protocols';
import { COUNTER, type ConntrackEntry, type Counter, type EntryCursor, type Tuple } from './entry';

// enum ctattr_type, ctattr_tuple, ctattr_ip, ctattr_l4proto, ctattr_counters; linux/netfilter/nfnetlink_conntrack.h
const CTA = {
  original: 1,
  reply: 2,
  status: 3,
  protocolInfo: 4,
  originalCounters: 9,
  replyCounters: 10,
  id: 12,
  zone: 18,
};
const TYPE_MASK = 0x3fff;
const TUPLE = { ip: 1, protocol: 2 } as const;
const ADDRESS = { sourceV4: 1, destinationV4: 2, sourceV6: 3, destinationV6: 4 } as const;
const PROTO = { number: 1, sourcePort: 2, destinationPort: 3, icmpType: 5, icmpCode: 6, icmpv6Type: 8, icmpv6Code: 9 };
const PROTOINFO_TCP = 1;
const PROTOINFO_TCP_STATE = 1;
const STATUS = { seenReply: 2, assured: 4 } as const;
const TCP_STATES = [
  'NONE',
  'SYN_SENT',
  'SYN_RECV',
  'ESTABLISHED',
  'FIN_WAIT',
  'CLOSE_WAIT',
  'LAST_ACK',
  'TIME_WAIT',
  'CLOSE',
  'SYN_SENT2',
] as const;

/** Reads conntrack messages of a netlink dump in place. */
export class NetlinkEntry implements EntryCursor {
  readonly identity = new Uint32Array(2);
  readonly counters = new Float64Array(COUNTER.count);
  private originalAt = 0;
  private replyAt = 0;
  private protocolInfoAt = 0;
  private status = 0;
  private zone = 0;
  private counted = false;
  private readonly view: DataView;

  constructor(private readonly buffer: Uint8Array) {
    this.view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }

  /** Moves to the message whose attributes lie between `start` and `end`. */
  read(start: number, end: number): void {
    const { view, identity, counters } = this;
    this.status = this.zone = 0;
    this.originalAt = this.replyAt = this.protocolInfoAt = 0;
    identity.fill(0);
    counters.fill(0);
    this.counted = false;
    for (let at = start; at + 4 <= end; ) {
      const length = view.getUint16(at, true);
      if (length < 4 || at + length > end) return;
      const value = at + 4;
      switch (view.getUint16(at + 2, true) & TYPE_MASK) {
        case CTA.original:
          this.originalAt = at;
          identity[1] = this.tupleHash(at, length);
          break;
        case CTA.reply:
          this.replyAt = at;
          break;
        case CTA.status:
          this.status = view.getUint32(value, false);
          break;
        case CTA.protocolInfo:
          this.protocolInfoAt = at;
          break;
        case CTA.originalCounters:
          this.counted = true;
          counters[COUNTER.originalPackets] = this.counter(at, 1);
          counters[COUNTER.originalBytes] = this.counter(at, 2);
          break;
        case CTA.replyCounters:
          counters[COUNTER.replyPackets] = this.counter(at, 1);
          counters[COUNTER.replyBytes] = this.counter(at, 2);
          break;
        case CTA.id:
          identity[0] = view.getUint32(value, false);
          break;
        case CTA.zone:
          this.zone = view.getUint16(value, false);
          break;
        default:
      }
      at += (length + 3) & ~3;
    }
  }

  toEntry(): ConntrackEntry {
    const original = this.tuple(this.originalAt);
    const reply = this.tuple(this.replyAt);
    const { counters } = this;
    const counter = (packetsAt: number, bytesAt: number): Counter | null =>
      this.counted ? { packets: counters[packetsAt] as number, bytes: counters[bytesAt] as number } : null;
    return {
      protocol: original.protocol,
      original: original.tuple,
      reply: reply.tuple,
      icmp: original.icmp,
      zone: this.zone,
      state: this.state(original.protocol),
      originalCounter: counter(COUNTER.originalPackets, COUNTER.originalBytes),
      replyCounter: counter(COUNTER.replyPackets, COUNTER.replyBytes),
    };
  }

  private state(protocol: number): string | null {
    if (protocol === IPPROTO.tcp && this.protocolInfoAt > 0) {
      const tcp = this.find(this.protocolInfoAt, PROTOINFO_TCP);
      const state = tcp > 0 ? this.find(tcp, PROTOINFO_TCP_STATE) : 0;
      const name = state > 0 ? TCP_STATES[this.buffer[state + 4] as number] : undefined;
      if (name !== undefined) return name;
    }
    if ((this.status & STATUS.assured) !== 0) return 'ASSURED';
    return (this.status & STATUS.seenReply) !== 0 ? 'REPLIED' : 'UNREPLIED';
  }

  private tuple(at: number): { protocol: number; tuple: Tuple; icmp: ConntrackEntry['icmp'] } {
    const ip = this.find(at, TUPLE.ip);
    const proto = this.find(at, TUPLE.protocol);
    const protocol = this.byte(proto, PROTO.number) ?? 0;
    const withPorts = hasPorts(protocol);
    const type = this.byte(proto, PROTO.icmpType) ?? this.byte(proto, PROTO.icmpv6Type);
    const code = this.byte(proto, PROTO.icmpCode) ?? this.byte(proto, PROTO.icmpv6Code);
    return {
      protocol,
      tuple: {
        source: this.address(ip, ADDRESS.sourceV4, ADDRESS.sourceV6),
        destination: this.address(ip, ADDRESS.destinationV4, ADDRESS.destinationV6),
        sourcePort: withPorts ? this.port(proto, PROTO.sourcePort) : null,
        destinationPort: withPorts ? this.port(proto, PROTO.destinationPort) : null,
      },
      icmp: type === null ? null : { type, code: code ?? 0 },
    };
  }

  private address(nest: number, v4: number, v6: number): string {
    const four = this.find(nest, v4);
    if (four > 0) return ipv4FromWord(this.view.getUint32(four + 4, true));
    const six = this.find(nest, v6);
    return six > 0 ? ipv6FromBytes(this.buffer, six + 4) : '0.0.0.0';
  }

  private port(nest: number, type: number): number | null {
    const at = this.find(nest, type);
    return at > 0 ? this.view.getUint16(at + 4, false) : null;
  }

  private byte(nest: number, type: number): number | null {
    const at = this.find(nest, type);
    return at > 0 ? (this.buffer[at + 4] as number) : null;
  }

  private counter(nest: number, type: number): number {
    const at = this.find(nest, type);
    return at > 0 ? this.view.getUint32(at + 4, false) * 2 ** 32 + this.view.getUint32(at + 8, false) : 0;
  }

  /** Offset of an attribute inside a nest, 0 when it is not there. */
  private find(nest: number, type: number): number {
    if (nest === 0) return 0;
    const { view } = this;
    const end = nest + view.getUint16(nest, true);
    for (let at = nest + 4; at + 4 <= end; ) {
      const length = view.getUint16(at, true);
      if (length < 4 || at + length > end) return 0;
      if ((view.getUint16(at + 2, true) & TYPE_MASK) === type) return at;
      at += (length + 3) & ~3;
    }
    return 0;
  }

  private tupleHash(at: number, length: number): number {
    let hash = 0;
    for (let i = at + 4; i + 4 <= at + length; i += 4) hash = Math.imul(hash ^ this.view.getInt32(i, true), 0x85ebca6b);
    return hash >>> 0;
  }
}
