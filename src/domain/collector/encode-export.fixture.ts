/*
 * Encodes datagrams as exporters send them, from the texts of RFC 3954 and RFC 7011; it shares no code with the decoder.
 */

export const u8 = (value: number): Buffer => Buffer.from([value]);
export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
export const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};
export const ip4 = (text: string): Buffer => Buffer.from(text.split('.').map(Number));
/** An address of eight groups, none left out. */
export const ip6 = (text: string): Buffer =>
  Buffer.concat(text.split(':').map((group) => u16(Number.parseInt(group, 16))));

/** Number of a field, its length, and the enterprise number of a private one. */
export type Field = readonly [id: number, length: number, enterprise?: number];

const encodeFields = (fields: readonly Field[]) =>
  Buffer.concat(
    fields.flatMap(([id, length, enterprise]) =>
      enterprise === undefined ? [u16(id), u16(length)] : [u16(id | 0x8000), u16(length), u32(enterprise)],
    ),
  );

/** A set with padding to four bytes. */
export function encodeSet(id: number, content: Buffer): Buffer {
  const padding = (4 - (content.length % 4)) % 4;
  return Buffer.concat([u16(id), u16(4 + content.length + padding), content, Buffer.alloc(padding)]);
}

export const encodeTemplate = (id: number, fields: readonly Field[]): Buffer =>
  Buffer.concat([u16(id), u16(fields.length), encodeFields(fields)]);

export const encodeNetflow9Options = (id: number, scopes: readonly Field[], fields: readonly Field[]): Buffer =>
  Buffer.concat([u16(id), u16(scopes.length * 4), u16(fields.length * 4), encodeFields([...scopes, ...fields])]);

export const encodeIpfixOptions = (id: number, scopes: readonly Field[], fields: readonly Field[]): Buffer =>
  Buffer.concat([
    u16(id),
    u16(scopes.length + fields.length),
    u16(scopes.length),
    encodeFields([...scopes, ...fields]),
  ]);

type Netflow9 = { uptime_ms: number; seconds: number; sequence?: number; source?: number };

export const encodeNetflow9 = ({ uptime_ms, seconds, sequence = 1, source = 0 }: Netflow9, sets: readonly Buffer[]) =>
  Buffer.concat([u16(9), u16(sets.length), u32(uptime_ms), u32(seconds), u32(sequence), u32(source), ...sets]);

type Ipfix = { seconds: number; sequence?: number; domain?: number };

export function encodeIpfix({ seconds, sequence = 0, domain = 0 }: Ipfix, sets: readonly Buffer[]): Buffer {
  const content = Buffer.concat(sets);
  return Buffer.concat([u16(10), u16(16 + content.length), u32(seconds), u32(sequence), u32(domain), content]);
}
