import { ADDRESS_WORDS } from '../net/addresses';
import { IPPROTO, isIcmp } from '../net/protocols';
import { FLOW_FLAGS } from './ebpf/layout';
import { type FlowTable, hashWords, KEY_WORDS, WORD } from './flow-table';

const PROTOCOL_MASK = 0x00ff0000;
/** Both addresses, the ports and the protocol. */
const TUPLE_WORDS = 10;

/**
 * The flows of a table that had packets in this interval, one per 5-tuple. A packet between two guests of the node, or
 * through a guest that routes, crosses several interfaces and has several rows; it is counted once: the row with most
 * bytes gives the counters, the interface where the packet first entered from a guest gives the attribution.
 */
export class Conversations {
  /** Row that gives the counters, by flow number. */
  readonly counterRows: Int32Array;
  /** Row that gives interface and guest, by flow number. */
  readonly guestRows: Int32Array;
  size = 0;
  readonly totals = { flows: 0, bytes: 0, packets: 0 };
  private readonly index: Int32Array;
  private readonly probe = new Uint32Array(TUPLE_WORDS);

  /** @param which idle: the rows without a packet in this interval, of what was seen before and is not forgotten yet */
  constructor(
    private readonly table: FlowTable,
    which: 'active' | 'idle' = 'active',
  ) {
    const isIncluded = (row: number): boolean => (table.newPackets[row] as number) > 0 === (which === 'active');
    let count = 0;
    for (let row = 0; row < table.size; row += 1) if (isIncluded(row)) count += 1;
    this.counterRows = new Int32Array(count);
    this.guestRows = new Int32Array(count);
    this.index = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
    for (let row = 0; row < table.size; row += 1) if (isIncluded(row)) this.place(row);
    for (let flow = 0; flow < this.size; flow += 1) {
      const row = this.counterRows[flow] as number;
      this.totals.bytes += table.newBytes[row] as number;
      this.totals.packets += table.newPackets[row] as number;
    }
    this.totals.flows = this.size;
  }

  /**
   * Number of the flow with this 5-tuple, -1 when there was none. Addresses and ports as in a kernel key
   * (`ports` = source | destination << 16, each in network order).
   */
  find(source: Uint32Array, destination: Uint32Array, ports: number, protocol: number): number {
    const { probe } = this;
    for (let i = 0; i < ADDRESS_WORDS; i += 1) {
      probe[WORD.source + i] = source[i] as number;
      probe[WORD.destination + i] = destination[i] as number;
    }
    probe[WORD.ports] = ports;
    probe[WORD.tags] = protocol << 16;
    const slot = this.slot();
    return (this.index[slot] as number) - 1;
  }

  /** The flow in the opposite direction, -1 when there was none. ICMP has no such counterpart. */
  reverse(flow: number): number {
    const row = this.counterRows[flow] as number;
    const ports = this.table.word(row, WORD.ports);
    const protocol = this.table.protocol(row);
    if (isIcmp(protocol)) return -1;
    const swapped = ((ports >>> 16) | (ports << 16)) >>> 0;
    const at = row * KEY_WORDS;
    const addressAt = (part: number) => this.table.keys.subarray(at + part, at + part + ADDRESS_WORDS);
    return this.find(addressAt(WORD.destination), addressAt(WORD.source), swapped, protocol);
  }

  /**
   * State of a TCP connection from the flags seen in both directions, in connection tracking's words; of others whether
   * it was answered. null for ICMP.
   */
  state(flow: number): string | null {
    const row = this.counterRows[flow] as number;
    const protocol = this.table.protocol(row);
    if (isIcmp(protocol)) return null;
    const back = this.reverse(flow);
    if (protocol !== IPPROTO.tcp) return back < 0 ? 'UNREPLIED' : 'REPLIED';
    const own = this.table.flags[row] as number;
    const other = back < 0 ? 0 : (this.table.flags[this.counterRows[back] as number] as number);
    const both = own | other;
    if ((both & FLOW_FLAGS.rst) !== 0) return 'CLOSE';
    if ((own & other & FLOW_FLAGS.fin) !== 0) return 'TIME_WAIT';
    if ((both & FLOW_FLAGS.fin) !== 0) return 'FIN_WAIT';
    if ((both & FLOW_FLAGS.answered) !== 0) return (own & other & FLOW_FLAGS.ack) !== 0 ? 'ESTABLISHED' : 'SYN_RECV';
    if ((both & FLOW_FLAGS.opened) !== 0 && (both & FLOW_FLAGS.ack) === 0) return 'SYN_SENT';
    return 'ESTABLISHED';
  }

  /** Which end sent the first SYN, undefined when the handshake was not seen. */
  initiator(flow: number): 'source' | 'destination' | undefined {
    const own = this.table.flags[this.counterRows[flow] as number] as number;
    if ((own & FLOW_FLAGS.opened) !== 0) return 'source';
    if ((own & FLOW_FLAGS.answered) !== 0) return 'destination';
    const back = this.reverse(flow);
    if (back < 0) return undefined;
    const other = this.table.flags[this.counterRows[back] as number] as number;
    if ((other & FLOW_FLAGS.opened) !== 0) return 'destination';
    return (other & FLOW_FLAGS.answered) !== 0 ? 'source' : undefined;
  }

  private place(row: number): void {
    const { table, probe } = this;
    for (let part = 0; part < WORD.tags; part += 1) probe[part] = table.word(row, part);
    probe[WORD.tags] = table.word(row, WORD.tags) & PROTOCOL_MASK;
    const slot = this.slot();
    const flow = (this.index[slot] as number) - 1;
    if (flow < 0) {
      this.counterRows[this.size] = row;
      this.guestRows[this.size] = row;
      this.size += 1;
      this.index[slot] = this.size;
      return;
    }
    const counter = this.counterRows[flow] as number;
    if ((table.newBytes[row] as number) > (table.newBytes[counter] as number)) this.counterRows[flow] = row;
    if (this.isNearerToSender(row, this.guestRows[flow] as number)) this.guestRows[flow] = row;
  }

  private isNearerToSender(row: number, than: number): boolean {
    const { table } = this;
    if (table.isFromGuest(row) !== table.isFromGuest(than)) return table.isFromGuest(row);
    if (table.first[row] !== table.first[than]) return (table.first[row] as number) < (table.first[than] as number);
    const [own, other] = [table.word(row, WORD.ifindex), table.word(than, WORD.ifindex)];
    if (own !== other) return own < other;
    // One interface, different tags, within a millisecond: the larger row, whatever order the kernel gives them in.
    const [bytes, thanBytes] = [table.newBytes[row] as number, table.newBytes[than] as number];
    return bytes === thanBytes ? table.vlan(row) < table.vlan(than) : bytes > thanBytes;
  }

  /** Slot of the probe's flow, or the empty one where it belongs. */
  private slot(): number {
    const { probe, index } = this;
    const mask = index.length - 1;
    let slot = hashWords(probe, 0, TUPLE_WORDS) & mask;
    for (let entry = index[slot] as number; entry !== 0; entry = index[slot] as number) {
      const row = this.counterRows[entry - 1] as number;
      if (this.hasProbe(row)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private hasProbe(row: number): boolean {
    const { probe, table } = this;
    for (let part = 0; part < WORD.tags; part += 1) if (table.word(row, part) !== probe[part]) return false;
    return (table.word(row, WORD.tags) & PROTOCOL_MASK) === probe[WORD.tags];
  }
}
