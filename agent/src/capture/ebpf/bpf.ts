import { arch } from 'node:process';
import { SystemCallError } from '../../sys/errno';
import { allocateMemory, type Libc, libc, type Memory, toDataView } from '../../sys/libc';

// union bpf_attr commands and types, linux/bpf.h
const SYSCALL: Partial<Record<string, number>> = { x64: 321, arm64: 280 };
const COMMAND = { createMap: 0, lookup: 1, update: 2, loadProgram: 5, testRun: 10, lookupAndDeleteBatch: 25 } as const;
const MAP_TYPES = { hash: 1, array: 2, perCpuArray: 6 } as const;
const ATTR_BYTES = 128;
const LOG_BYTES = 64 * 1024;
const NAME_BYTES = 15;

/** Program types: socket filters are what the agent runs; classifiers only let tests run the same code on a frame. */
export const PROGRAM_TYPES = { socketFilter: 1, classifier: 3 } as const;

/** Calls bpf(2). @returns the result, negative errno included: callers know which errors are normal */
export function bpf(command: keyof typeof COMMAND, attr: Memory): number {
  const number = SYSCALL[arch];
  if (number === undefined) throw new Error(`bpf: no system call number for ${arch}`);
  const c: Libc = libc();
  const result = c.syscall(number, COMMAND[command], attr, attr.length);
  return result < 0 ? -c.errno() : result;
}

/** Zeroed argument block of bpf(2) with helpers for its fields. */
export function bpfAttr(): {
  bytes: Memory;
  u32(at: number, value: number): void;
  pointer(at: number, to: Memory): void;
} {
  const bytes = allocateMemory(ATTR_BYTES);
  const view = toDataView(bytes);
  return {
    bytes,
    u32: (at, value) => view.setUint32(at, value, true),
    pointer: (at, to) => view.setBigUint64(at, libc().address(to), true),
  };
}

function writeName(attr: Memory, at: number, name: string): void {
  attr.set(new TextEncoder().encode(name.slice(0, NAME_BYTES)), at);
}

/** @returns file descriptor. @throws SystemCallError (EPERM without CAP_BPF, ENOMEM over the cgroup's limit) */
export function createMap(
  name: string,
  shape: { type: keyof typeof MAP_TYPES; keyBytes: number; valueBytes: number; entries: number },
): number {
  const attr = bpfAttr();
  attr.u32(0, MAP_TYPES[shape.type]);
  attr.u32(4, shape.keyBytes);
  attr.u32(8, shape.valueBytes);
  attr.u32(12, shape.entries);
  writeName(attr.bytes, 28, name);
  const fd = bpf('createMap', attr.bytes);
  if (fd < 0) throw new SystemCallError(`create eBPF map ${name}`, -fd);
  return fd;
}

/** @returns file descriptor. @throws SystemCallError; with the verifier's words when it refuses the program */
export function loadProgram(name: string, code: Memory, type: number = PROGRAM_TYPES.socketFilter): number {
  const attr = bpfAttr();
  const license = allocateMemory(8);
  license.set(new TextEncoder().encode('MIT'));
  attr.u32(0, type);
  attr.u32(4, code.length / 8);
  attr.pointer(8, code);
  attr.pointer(16, license);
  writeName(attr.bytes, 48, name);
  const fd = bpf('loadProgram', attr.bytes);
  if (fd >= 0) return fd;
  const log = allocateMemory(LOG_BYTES);
  attr.u32(24, 1);
  attr.u32(28, LOG_BYTES);
  attr.pointer(32, log);
  const second = bpf('loadProgram', attr.bytes);
  if (second >= 0) return second;
  const text = new TextDecoder().decode(log.subarray(0, Math.max(0, log.indexOf(0)))).trim();
  throw new SystemCallError(`load eBPF program${text === '' ? '' : ` (${text.slice(-300)})`}`, -fd);
}

/** Reads one element; per-CPU maps give one value after another. @returns false when there is none */
export function lookupElement(map: number, key: Memory, value: Memory): boolean {
  const attr = bpfAttr();
  attr.u32(0, map);
  attr.pointer(8, key);
  attr.pointer(16, value);
  return bpf('lookup', attr.bytes) === 0;
}

/** Writes one element. @throws SystemCallError */
export function updateElement(map: number, key: Memory, value: Memory): void {
  const attr = bpfAttr();
  attr.u32(0, map);
  attr.pointer(8, key);
  attr.pointer(16, value);
  const result = bpf('update', attr.bytes);
  if (result < 0) throw new SystemCallError('write eBPF map', -result);
}
