import { MAX_DECLARED_LENGTH } from '../ring/frame-key';
import { type Assembler, type Register, register } from './assembler';

// What the parts of the program (program.ts, program-ipv6.ts) share: where things stand, and small sequences.

export const HELPER = { lookup: 1, update: 2, loadBytes: 26, coarseTime: 160 } as const;
export const PROTOCOL = { icmp: 1, tcp: 6, udp: 17, dccp: 33, icmpv6: 58, sctp: 132, udplite: 136 } as const;

// Stack, below the frame pointer r10. `header` holds packet bytes from the ethertype on, placed so that the IP header
// is four-aligned, which the verifier asks of stack loads. `room` is what the packet has behind its headers so far.
export const FP: Register = 10;
export const STACK = {
  key: -48,
  statistic: -52,
  value: -96,
  tag: -100,
  room: -104,
  protocol: -108,
  l4: -124,
  header: -166,
} as const;
export const IP = STACK.header + 2;
export const IPV4_BYTES = 20;
export const FIELD = {
  version: IP,
  ipv4Length: IP + 2,
  ipv6Length: IP + 4,
  fragment: IP + 6,
  ipv6NextHeader: IP + 6,
  ipv6Addresses: IP + 8,
  ipv4Protocol: IP + 9,
  ipv4Source: IP + 12,
  ipv4Destination: IP + 16,
  sourcePort: STACK.l4,
  tcpFlags: STACK.l4 + 13,
} as const;
export const L4_BYTES = 16;
export const TCP_BYTES_NEEDED = 14;

// Registers that survive helper calls. r6 holds the context until the key stands, then the time; r7 the VLAN number,
// then the TCP flags; r8 the start of the IP header; r9 the length of the frame.
export const CTX: Register = 6;
export const TIME: Register = 6;
export const VLAN: Register = 7;
export const FLAGS: Register = 7;
export const IP_OFFSET: Register = 8;
export const OCTETS: Register = 9;

/** Loads what is read of the transport header. */
export function transport(asm: Assembler, name: string): void {
  asm.load('u32', 1, FP, STACK.protocol);
  asm.jumpIf(1, 'notEqual', PROTOCOL.tcp, `${name}-ports-only`);
  loadBytes(asm, register(IP_OFFSET), STACK.l4, TCP_BYTES_NEEDED);
  asm.jump(`${name}-transport`);
  asm.label(`${name}-ports-only`);
  loadBytes(asm, register(IP_OFFSET), STACK.l4, 4);
  asm.label(`${name}-transport`);
}

/** Length in r1, as a header says it. A packet put together from many says 0 where its length does not fit 16 bits. */
export function declaredLength(asm: Assembler, field: number, name: string): void {
  asm.load('u16', 1, FP, field);
  asm.fromNetwork16(1);
  asm.jumpIf(1, 'notEqual', 0, `${name}-said`);
  asm.move(2, MAX_DECLARED_LENGTH);
  asm.jumpIf(2, 'atLeast', register(OCTETS), `${name}-said`);
  asm.move(1, register(2));
  asm.label(`${name}-said`);
}

export function stackAddress(asm: Assembler, destination: Register, offset: number): void {
  asm.move(destination, register(FP));
  asm.compute('add', destination, offset);
}

/** bpf_skb_load_bytes; r0 = 0 on success, and the target is zeroed on failure. */
export function loadBytes(asm: Assembler, from: number | { register: Register }, to: number, length: number): void {
  asm.move(1, register(CTX));
  asm.move(2, from);
  stackAddress(asm, 3, to);
  asm.move(4, length);
  asm.call(HELPER.loadBytes);
}
