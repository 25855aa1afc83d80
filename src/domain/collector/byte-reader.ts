import { formatIp } from '../net/ip-address';

/**
 * Reads big-endian fields of a datagram one after the other. A read beyond the end yields zero, marks the reader as `isShort` and
 * leaves nothing to read: no length in a datagram makes a decoder throw or loop.
 */
export class ByteReader {
  readonly #view: DataView;
  #at = 0;
  #short = false;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.#view.byteLength - this.#at;
  }

  /** Whether something was read that is not there. */
  get isShort(): boolean {
    return this.#short;
  }

  /** Where the next `bytes` bytes begin; -1 when there are not so many. */
  #advance(bytes: number): number {
    if (bytes > this.left) {
      this.#short = true;
      this.#at = this.#view.byteLength;
      return -1;
    }
    const at = this.#at;
    this.#at += bytes;
    return at;
  }

  u8(): number {
    const at = this.#advance(1);
    return at < 0 ? 0 : this.#view.getUint8(at);
  }

  u16(): number {
    const at = this.#advance(2);
    return at < 0 ? 0 : this.#view.getUint16(at);
  }

  u32(): number {
    const at = this.#advance(4);
    return at < 0 ? 0 : this.#view.getUint32(at);
  }

  /** A number of 1 to 8 bytes, at most the largest that JavaScript holds exactly. Of any other length: null. */
  uint(bytes: number): number | null {
    const at = this.#advance(bytes);
    if (at < 0 || bytes < 1 || bytes > 8) return null;
    let value = 0;
    for (let i = 0; i < bytes; i += 1) value = value * 256 + this.#view.getUint8(at + i);
    return Math.min(value, Number.MAX_SAFE_INTEGER);
  }

  /** Seconds since 1900 and a fraction, in milliseconds since 1970. Other lengths than eight bytes: null. */
  ntpTime(bytes: number): number | null {
    const at = this.#advance(bytes);
    if (at < 0 || bytes !== 8) return null;
    const seconds = this.#view.getUint32(at) - 2_208_988_800;
    return seconds * 1000 + Math.floor((this.#view.getUint32(at + 4) * 1000) / 2 ** 32);
  }

  /** A number between 0 and 1 as a floating-point number of 4 or 8 bytes; null for any other value. */
  probability(bytes: number): number | null {
    const at = this.#advance(bytes);
    if (at < 0 || (bytes !== 4 && bytes !== 8)) return null;
    const value = bytes === 4 ? this.#view.getFloat32(at) : this.#view.getFloat64(at);
    return value > 0 && value <= 1 ? value : null;
  }

  /** An address of 4 or 16 bytes in its canonical form. Of any other length: null. */
  address(bytes: number): string | null {
    const at = this.#advance(bytes);
    if (at < 0) return null;
    if (bytes === 4) {
      const octet = (i: number) => this.#view.getUint8(at + i);
      return `${octet(0)}.${octet(1)}.${octet(2)}.${octet(3)}`;
    }
    if (bytes !== 16) return null;
    const value = (this.#view.getBigUint64(at) << 64n) | this.#view.getBigUint64(at + 8);
    return formatIp({ family: 6, value });
  }

  skip(bytes: number): void {
    this.#advance(bytes);
  }

  /** A reader of the next bytes only; an empty one when there are not so many. */
  take(bytes: number): ByteReader {
    const at = this.#advance(bytes);
    const { buffer, byteOffset } = this.#view;
    return new ByteReader(at < 0 ? new Uint8Array() : new Uint8Array(buffer as ArrayBuffer, byteOffset + at, bytes));
  }
}
