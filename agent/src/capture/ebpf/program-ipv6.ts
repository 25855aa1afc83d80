import { MAX_EXTENSIONS } from '../ring/frame-key';
import { type Assembler, register } from './assembler';
import { KEY } from './layout';
import { declaredLength, FIELD, FP, IP, IP_OFFSET, loadBytes, STACK, transport } from './program-parts';

const IPV6_FRAGMENT_OFFSET_MASK = 0xf8ff;
const EXTENSION = {
  hopByHop: 0,
  routing: 43,
  fragment: 44,
  authentication: 51,
  destination: 60,
  mobility: 135,
} as const;
const FRAGMENT_BYTES = 8;
const IPV6_BYTES = 40;

/** Addresses of IPv6, and the way over its extension headers. */
export function ipv6(asm: Assembler): void {
  asm.label('ipv6');
  loadBytes(asm, register(IP_OFFSET), IP, IPV6_BYTES);
  asm.jumpIf(0, 'notEqual', 0, 'malformed');
  asm.load('u8', 1, FP, FIELD.version);
  asm.compute('rsh', 1, 4);
  asm.jumpIf(1, 'notEqual', 6, 'malformed');
  for (let at = 0; at < 32; at += 4) {
    asm.load('u32', 1, FP, FIELD.ipv6Addresses + at);
    asm.store('u32', FP, STACK.key + KEY.source + at, register(1));
  }
  declaredLength(asm, FIELD.ipv6Length, 'ipv6');
  asm.store('u32', FP, STACK.room, register(1));
  asm.load('u8', 1, FP, FIELD.ipv6NextHeader);
  asm.store('u32', FP, STACK.protocol, register(1));
  asm.compute('add', IP_OFFSET, IPV6_BYTES);
  for (let depth = 0; depth < MAX_EXTENSIONS; depth += 1) extension(asm, depth);
  asm.label('ipv6-payload');
  transport(asm, 'ipv6');
  asm.label('headers');
}

/** Steps over one extension header. One that does not fit the packet ends the way: its number is the protocol then. */
function extension(asm: Assembler, depth: number): void {
  const at = (name: string) => `extension-${depth}-${name}`;
  asm.load('u32', 1, FP, STACK.protocol);
  for (const number of Object.values(EXTENSION)) asm.jumpIf(1, 'equal', number, at('is'));
  asm.jump('ipv6-payload');
  asm.label(at('is'));
  loadBytes(asm, register(IP_OFFSET), STACK.tag, 4);
  asm.jumpIf(0, 'notEqual', 0, 'headers');
  asm.load('u32', 1, FP, STACK.protocol);
  asm.load('u8', 2, FP, STACK.tag + 1);
  asm.jumpIf(1, 'equal', EXTENSION.fragment, at('fragment'));
  asm.jumpIf(1, 'equal', EXTENSION.authentication, at('authentication'));
  asm.compute('lsh', 2, 1);
  asm.label(at('authentication'));
  asm.compute('lsh', 2, 2);
  asm.compute('add', 2, 8);
  asm.jump(at('size'));
  asm.label(at('fragment'));
  asm.move(2, FRAGMENT_BYTES);
  asm.label(at('size'));
  asm.load('u32', 3, FP, STACK.room);
  asm.jumpIf(2, 'above', register(3), 'headers');
  asm.compute('sub', 3, register(2));
  asm.compute('add', IP_OFFSET, register(2));
  asm.load('u8', 4, FP, STACK.tag);
  asm.store('u32', FP, STACK.protocol, register(4));
  asm.jumpIf(1, 'notEqual', EXTENSION.fragment, at('end'));
  asm.load('u16', 4, FP, STACK.tag + 2);
  asm.compute('and', 4, IPV6_FRAGMENT_OFFSET_MASK);
  asm.jumpIf(4, 'equal', 0, at('end'));
  asm.move(3, 0);
  asm.label(at('end'));
  asm.store('u32', FP, STACK.room, register(3));
  asm.jumpIf(3, 'equal', 0, 'headers');
}
