import type { Memory } from './libc';

/** View for reading and writing numbers in kernel structures. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Four bytes holding one native (little endian) integer, for socket options. */
export function int32(value: number): Memory {
  const bytes = new Uint8Array(new ArrayBuffer(4));
  viewOf(bytes).setInt32(0, value, true);
  return bytes;
}
