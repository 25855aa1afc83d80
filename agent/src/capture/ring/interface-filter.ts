import { allocateMemory, type Memory, toDataView } from '../../sys/libc';

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const RETURN = 0x06;
/** SKF_AD_OFF + SKF_AD_IFINDEX: the interface's index, as an extension of classic BPF. */
const IFINDEX = 0xfffff000 + 8;
const MAX_INSTRUCTIONS = 4096;

/**
 * Classic BPF that passes the first `snap` bytes of frames of the given interfaces and nothing else.
 * @returns instructions of eight bytes. @throws when there are more interfaces than a filter can name (about 2000)
 */
export function interfaceFilter(indexes: Iterable<number>, snap: number): Memory {
  const code: [number, number, number, number][] = [[LOAD_WORD, 0, 0, IFINDEX]];
  for (const index of indexes) code.push([JUMP_EQUAL, 0, 1, index], [RETURN, 0, 0, snap]);
  code.push([RETURN, 0, 0, 0]);
  if (code.length > MAX_INSTRUCTIONS) throw new Error(`too many interfaces for one packet filter: ${code.length}`);
  const bytes = allocateMemory(code.length * 8);
  const view = toDataView(bytes);
  code.forEach(([operation, whenTrue, whenFalse, value], i) => {
    view.setUint16(i * 8, operation, true);
    view.setUint8(i * 8 + 2, whenTrue);
    view.setUint8(i * 8 + 3, whenFalse);
    view.setUint32(i * 8 + 4, value, true);
  });
  return bytes;
}
