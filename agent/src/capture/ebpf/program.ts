import { MAPPED_WORD } from '../../net/addresses';
import { headerBytes, isIcmp } from '../../net/protocols';
import { Assembler, register } from './assembler';
import { DIRECTION, FLOW_FLAGS, KEY, STATISTICS, VALUE } from './layout';
import { ipv6 } from './program-ipv6';
import {
  CTX,
  declaredLength,
  FIELD,
  FLAGS,
  FP,
  HELPER,
  IP,
  IP_OFFSET,
  IPV4_BYTES,
  L4_BYTES,
  loadBytes,
  OCTETS,
  PROTOCOL,
  STACK,
  stackAddress,
  TIME,
  transport,
  VLAN,
} from './program-parts';

export type ProgramMaps = { flows: readonly [number, number]; active: number; statistics: number };

// struct __sk_buff, linux/bpf.h
const SKB = { length: 0, packetType: 4, vlanPresent: 20, vlanTci: 24, ifindex: 40 } as const;
const PACKET_OUTGOING = 4;

const UPDATE_NO_EXIST = 1;

// Both are compared as loaded, without swapping: the little endian reading of the bytes on the wire.
const ETHERTYPE_IPV4 = 0x0008;
const ETHERTYPE_IPV6 = 0xdd86;
const VLAN_ETHERTYPES = [0x0081, 0xa888, 0x0091] as const;
const VID_MASK = 0x0fff;
const FRAGMENT_OFFSET_MASK = 0xff1f;

const FAST_PATH_BYTES = 48;
const ETHERTYPE_OFFSET = 12;
const ETHERNET_BYTES = 14;
const VLAN_BYTES = 4;
const MAX_IN_BAND_TAGS = 2;

/**
 * The socket filter that counts flows: it reads the headers of each frame, adds to the frame's flow in the active map
 * and returns 0, so that nothing is copied to user space. Frames are counted with their VLAN tag, as on the wire.
 * Returns bytecode for BPF_PROG_LOAD.
 */
export function buildProgram(maps: ProgramMaps): Uint8Array<ArrayBuffer> {
  const asm = new Assembler();
  prologue(asm);
  fastPath(asm);
  slowPath(asm);
  ipv4(asm);
  ipv6(asm);
  flowKey(asm);
  count(asm, maps);
  asm.label('not-ip');
  statistic(asm, maps, STATISTICS.notIp);
  asm.label('malformed');
  statistic(asm, maps, STATISTICS.malformed);
  asm.label('full');
  statistic(asm, maps, STATISTICS.full);
  asm.label('done');
  asm.move(0, 0);
  asm.exit();
  return asm.assemble();
}

/** Frame length and the tag that the kernel has moved out of the frame. */
function prologue(asm: Assembler): void {
  asm.move(CTX, register(1));
  asm.load('u32', OCTETS, CTX, SKB.length);
  asm.move(VLAN, 0);
  asm.move(IP_OFFSET, ETHERNET_BYTES);
  asm.load('u32', 1, CTX, SKB.vlanPresent);
  asm.jumpIf(1, 'equal', 0, 'untagged');
  asm.load('u32', VLAN, CTX, SKB.vlanTci);
  asm.compute('and', VLAN, VID_MASK);
  asm.compute('add', OCTETS, VLAN_BYTES);
  asm.label('untagged');
}

/** One copy reads all of an untagged IPv4 header without options and the TCP header up to its flags. */
function fastPath(asm: Assembler): void {
  asm.load('u32', 1, CTX, SKB.length);
  asm.jumpIf(1, 'below', FAST_PATH_BYTES, 'slow');
  loadBytes(asm, ETHERTYPE_OFFSET, STACK.header, FAST_PATH_BYTES - ETHERTYPE_OFFSET);
  asm.jumpIf(0, 'notEqual', 0, 'slow');
  asm.load('u16', 1, FP, STACK.header);
  asm.jumpIf(1, 'notEqual', ETHERTYPE_IPV4, 'slow');
  asm.load('u8', 1, FP, FIELD.version);
  asm.jumpIf(1, 'notEqual', 0x45, 'slow');
  for (const [width, at] of [
    ['u32', 0],
    ['u32', 4],
    ['u32', 8],
    ['u16', 12],
  ] as const) {
    asm.load(width, 1, FP, IP + IPV4_BYTES + at);
    asm.store(width, FP, STACK.l4 + at, register(1));
  }
  asm.load('u8', 1, FP, FIELD.ipv4Protocol);
  asm.store('u32', FP, STACK.protocol, register(1));
  asm.move(2, IPV4_BYTES);
  asm.jump('ipv4-key');
}

/** In-band tags, IP options, short frames and IPv6. Leaves the headers where the fast path leaves them. */
function slowPath(asm: Assembler): void {
  asm.label('slow');
  loadBytes(asm, ETHERTYPE_OFFSET, STACK.header, 2);
  asm.jumpIf(0, 'notEqual', 0, 'malformed');
  for (let depth = 0; depth < MAX_IN_BAND_TAGS; depth += 1) inBandTag(asm, depth);
  // What follows the IP header may be shorter than any transport header: the helper then leaves zeroes.
  for (let at = 0; at < L4_BYTES; at += 4) asm.store('u32', FP, STACK.l4 + at, 0);
  asm.load('u16', 1, FP, STACK.header);
  asm.jumpIf(1, 'equal', ETHERTYPE_IPV6, 'ipv6');
  asm.jumpIf(1, 'notEqual', ETHERTYPE_IPV4, 'not-ip');

  loadBytes(asm, register(IP_OFFSET), IP, IPV4_BYTES);
  asm.jumpIf(0, 'notEqual', 0, 'malformed');
  asm.load('u8', 1, FP, FIELD.version);
  asm.move(2, register(1));
  asm.compute('rsh', 2, 4);
  asm.jumpIf(2, 'notEqual', 4, 'malformed');
  asm.compute('and', 1, 15);
  asm.jumpIf(1, 'below', 5, 'malformed');
  asm.compute('lsh', 1, 2);
  asm.compute('add', IP_OFFSET, register(1));
  asm.store('u32', FP, STACK.tag, register(1));
  asm.load('u8', 1, FP, FIELD.ipv4Protocol);
  asm.store('u32', FP, STACK.protocol, register(1));
  transport(asm, 'ipv4');
  asm.load('u32', 2, FP, STACK.tag);
}

/** Steps over one tag in the frame; the outermost number that is not 0 is kept. */
function inBandTag(asm: Assembler, depth: number): void {
  const isTag = `tag-${depth}`;
  const end = `tag-${depth}-end`;
  asm.load('u16', 1, FP, STACK.header);
  for (const ethertype of VLAN_ETHERTYPES) asm.jumpIf(1, 'equal', ethertype, isTag);
  asm.jump(end);
  asm.label(isTag);
  loadBytes(asm, register(IP_OFFSET), STACK.tag, VLAN_BYTES);
  asm.jumpIf(0, 'notEqual', 0, 'malformed');
  asm.compute('add', IP_OFFSET, VLAN_BYTES);
  asm.load('u16', 1, FP, STACK.tag + 2);
  asm.store('u16', FP, STACK.header, register(1));
  asm.jumpIf(VLAN, 'notEqual', 0, end);
  asm.load('u16', VLAN, FP, STACK.tag);
  asm.fromNetwork16(VLAN);
  asm.compute('and', VLAN, VID_MASK);
  asm.label(end);
}

/** Addresses and room of IPv4, whose header has the length in r2. */
function ipv4(asm: Assembler): void {
  asm.label('ipv4-key');
  asm.move(3, register(2));
  declaredLength(asm, FIELD.ipv4Length, 'ipv4');
  asm.move(4, 0);
  asm.jumpIf(1, 'below', register(3), 'ipv4-room');
  asm.load('u16', 2, FP, FIELD.fragment);
  asm.compute('and', 2, FRAGMENT_OFFSET_MASK);
  // What follows the header of a later fragment is the middle of something.
  asm.jumpIf(2, 'notEqual', 0, 'ipv4-room');
  asm.compute('sub', 1, register(3));
  asm.move(4, register(1));
  asm.label('ipv4-room');
  asm.store('u32', FP, STACK.room, register(4));
  for (const [part, field] of [
    [KEY.source, FIELD.ipv4Source],
    [KEY.destination, FIELD.ipv4Destination],
  ] as const) {
    asm.store('u32', FP, STACK.key + part, 0);
    asm.store('u32', FP, STACK.key + part + 4, 0);
    asm.store('u32', FP, STACK.key + part + 8, MAPPED_WORD | 0);
    asm.load('u32', 1, FP, field);
    asm.store('u32', FP, STACK.key + part + 12, register(1));
  }
  asm.jump('headers');
}

/** Completes the key on the stack; leaves TCP flags in FLAGS. Registers CTX and VLAN are free afterwards. */
function flowKey(asm: Assembler): void {
  const key = STACK.key;
  asm.store('u32', FP, key + KEY.sourcePort, 0);
  asm.store('u16', FP, key + KEY.vlan, register(VLAN));
  asm.load('u32', 2, FP, STACK.protocol);
  asm.store('u8', FP, key + KEY.protocol, register(2));
  asm.load('u32', 1, CTX, SKB.packetType);
  asm.move(3, DIRECTION.fromGuest);
  asm.jumpIf(1, 'notEqual', PACKET_OUTGOING, 'direction');
  asm.move(3, DIRECTION.toGuest);
  asm.label('direction');
  asm.store('u8', FP, key + KEY.direction, register(3));
  asm.load('u32', 1, CTX, SKB.ifindex);
  asm.store('u32', FP, key + KEY.ifindex, register(1));

  asm.move(FLAGS, 0);
  asm.load('u32', 3, FP, STACK.room);
  for (const number of Object.values(PROTOCOL)) {
    const next = `not-${number}`;
    asm.jumpIf(2, 'notEqual', number, next);
    // Behind the end of the packet there is padding, whatever the frame has there.
    asm.jumpIf(3, 'below', headerBytes(number), 'key-done');
    asm.jump(number === PROTOCOL.tcp ? 'tcp' : isIcmp(number) ? 'icmp' : 'ports');
    asm.label(next);
  }
  asm.jump('key-done');
  asm.label('icmp');
  // ICMP has type and code where others have the source port; the key keeps them as destination port.
  asm.load('u16', 1, FP, FIELD.sourcePort);
  asm.store('u16', FP, key + KEY.destinationPort, register(1));
  asm.jump('key-done');

  asm.label('tcp');
  asm.load('u8', FLAGS, FP, FIELD.tcpFlags);
  asm.move(1, register(FLAGS));
  asm.compute('and', 1, FLOW_FLAGS.syn | FLOW_FLAGS.ack);
  asm.jumpIf(1, 'notEqual', FLOW_FLAGS.syn, 'not-opening');
  asm.compute('or', FLAGS, FLOW_FLAGS.opened);
  asm.label('not-opening');
  asm.jumpIf(1, 'notEqual', FLOW_FLAGS.syn | FLOW_FLAGS.ack, 'ports');
  asm.compute('or', FLAGS, FLOW_FLAGS.answered);
  asm.label('ports');
  asm.load('u32', 1, FP, FIELD.sourcePort);
  asm.store('u32', FP, key + KEY.sourcePort, register(1));
  asm.label('key-done');
}

/** Adds the frame to its flow, in whichever of the two maps is active. */
function count(asm: Assembler, maps: ProgramMaps): void {
  asm.call(HELPER.coarseTime);
  asm.move(TIME, register(0));
  asm.loadMapValue(1, maps.active);
  asm.load('u32', 1, 1, 0);
  asm.jumpIf(1, 'notEqual', 0, 'map-1');
  countInMap(asm, maps, 0);
  asm.label('map-1');
  countInMap(asm, maps, 1);
}

function countInMap(asm: Assembler, maps: ProgramMaps, index: 0 | 1): void {
  const hit = `hit-${index}`;
  const fd = maps.flows[index];
  lookup(asm, fd, STACK.key);
  asm.jumpIf(0, 'notEqual', 0, hit);

  asm.store('u64', FP, STACK.value + VALUE.packets, 1);
  asm.store('u64', FP, STACK.value + VALUE.octets, register(OCTETS));
  asm.store('u64', FP, STACK.value + VALUE.first, register(TIME));
  asm.store('u64', FP, STACK.value + VALUE.last, register(TIME));
  asm.store('u64', FP, STACK.value + VALUE.flags, register(FLAGS));
  asm.loadMap(1, fd);
  stackAddress(asm, 2, STACK.key);
  stackAddress(asm, 3, STACK.value);
  asm.move(4, UPDATE_NO_EXIST);
  asm.call(HELPER.update);
  asm.jumpIf(0, 'notEqual', 0, `raced-${index}`);
  statistic(asm, maps, STATISTICS.inserts);

  // Another CPU may have inserted the same flow in between; otherwise the map is full.
  asm.label(`raced-${index}`);
  lookup(asm, fd, STACK.key);
  asm.jumpIf(0, 'equal', 0, 'full');

  asm.label(hit);
  asm.move(1, 1);
  asm.atomic('add', 'u64', 0, VALUE.packets, 1);
  asm.atomic('add', 'u64', 0, VALUE.octets, OCTETS);
  asm.store('u64', 0, VALUE.last, register(TIME));
  asm.load('u32', 1, 0, VALUE.flags);
  // A new SYN after the end of a connection is another connection between the same ports.
  asm.move(2, register(FLAGS));
  asm.compute('and', 2, FLOW_FLAGS.opened);
  asm.jumpIf(2, 'equal', 0, `same-${index}`);
  asm.move(2, register(1));
  asm.compute('and', 2, FLOW_FLAGS.fin | FLOW_FLAGS.rst);
  asm.jumpIf(2, 'equal', 0, `same-${index}`);
  asm.store('u32', 0, VALUE.flags, register(FLAGS));
  asm.jump('done');
  asm.label(`same-${index}`);
  asm.move(2, register(1));
  asm.compute('or', 2, register(FLAGS));
  asm.jumpIf(1, 'equal', register(2), 'done');
  asm.atomic('or', 'u32', 0, VALUE.flags, FLAGS);
  asm.jump('done');
}

/** Adds the frame to an element of the statistics and ends. */
function statistic(asm: Assembler, maps: ProgramMaps, element: number): void {
  asm.store('u32', FP, STACK.statistic, element);
  lookup(asm, maps.statistics, STACK.statistic);
  asm.jumpIf(0, 'equal', 0, 'done');
  asm.move(1, 1);
  asm.atomic('add', 'u64', 0, 0, 1);
  asm.atomic('add', 'u64', 0, 8, OCTETS);
  asm.jump('done');
}

function lookup(asm: Assembler, map: number, key: number): void {
  asm.loadMap(1, map);
  stackAddress(asm, 2, key);
  asm.call(HELPER.lookup);
}
