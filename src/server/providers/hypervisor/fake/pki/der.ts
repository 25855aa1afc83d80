/** The few ASN.1 DER encoders an X.509 certificate needs (ITU-T X.690). */

const tagged = (tag: number, content: Uint8Array): Buffer => {
  const size = content.length;
  if (size < 0x80) return Buffer.concat([Buffer.from([tag, size]), content]);
  const digits =
    size < 0x100 ? [size] : size < 0x10000 ? [size >> 8, size & 0xff] : [size >> 16, (size >> 8) & 0xff, size & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length, ...digits]), content]);
};

const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let high = arc >>> 7; high > 0; high >>>= 7) groups.unshift((high & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
};

/** Unsigned big-endian bytes; a leading zero is added when the top bit is set, because INTEGER is signed. */
const integer = (bytes: Uint8Array): Buffer =>
  tagged(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);

/** UTCTime up to 2049, GeneralizedTime from 2050 on (RFC 5280 section 4.1.2.5). */
const time = (date: Date): Buffer => {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
};

export const der = {
  oid,
  integer,
  time,
  sequence: (...items: Uint8Array[]) => tagged(0x30, Buffer.concat(items)),
  set: (...items: Uint8Array[]) => tagged(0x31, Buffer.concat(items)),
  utf8: (text: string) => tagged(0x0c, Buffer.from(text, 'utf8')),
  octets: (bytes: Uint8Array) => tagged(0x04, bytes),
  /** BIT STRING; `unused` low bits of the last byte do not count. */
  bits: (bytes: Uint8Array, unused = 0) => tagged(0x03, Buffer.concat([Buffer.from([unused]), bytes])),
  boolean: (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0])),
  /** Context-specific tag: constructed for explicit tagging, primitive for implicit tagging of a string. */
  explicit: (number: number, content: Uint8Array) => tagged(0xa0 | number, content),
  implicit: (number: number, content: Uint8Array) => tagged(0x80 | number, content),
};
