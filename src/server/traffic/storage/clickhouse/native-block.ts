import { parseIp } from '@/domain/net/ip-address';

/**
 * Rows in ClickHouse's own format: its rows are columns, one after the other, and need no parsing. A third of the CPU of JSON; see
 * https://clickhouse.com/docs/interfaces/formats/Native. Blocks one after the other are one insert.
 */
export type Column<Row> = {
  readonly name: string;
  readonly type: string;
  readonly write: (out: BlockWriter, rows: readonly Row[]) => void;
};

const HIGH = 2 ** 32;
/** Values that come again and again, such as ids of workloads, are read once. */
const MOST_KEPT = 20_000;
const MOST_SHORT = 40;

/** The bytes of values of one kind, kept for the next time. */
function keeper(parse: (text: string) => Buffer): (text: string) => Buffer {
  const kept = new Map<string, Buffer>();
  return (text) => {
    let bytes = kept.get(text);
    if (!bytes) {
      bytes = parse(text);
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(text, bytes);
    }
    return bytes;
  };
}

/** A UUID is two numbers of eight bytes, each with its last byte first. */
function parseUuid(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex');
  if (bytes.length !== 16) throw new Error('expected a UUID');
  bytes.subarray(0, 8).reverse();
  bytes.subarray(8).reverse();
  return bytes;
}

function parseAddress(text: string): Buffer {
  const ip = parseIp(text);
  if (!ip) throw new Error('expected an IP address');
  const number = ip.family === 4 ? (0xffffn << 32n) | ip.value : ip.value;
  return Buffer.from(number.toString(16).padStart(32, '0'), 'hex');
}

export class BlockWriter {
  private buffer = Buffer.allocUnsafe(64 * 1024);
  private at = 0;
  private static readonly addressOf = keeper(parseAddress);
  private static readonly idOf = keeper(parseUuid);

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }

  size(of: number): void {
    this.reserve(10);
    let rest = of;
    while (rest >= 128) {
      this.buffer[this.at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.buffer[this.at++] = rest;
  }

  text(of: string): void {
    if (of.length <= MOST_SHORT && this.shortText(of)) return;
    const bytes = Buffer.byteLength(of);
    this.size(bytes);
    this.reserve(bytes);
    this.at += this.buffer.write(of, this.at, 'utf8');
  }

  /** For few characters a loop takes less than a call of the runtime. @returns false for what is not ASCII, and nothing is written */
  private shortText(of: string): boolean {
    this.reserve(of.length + 1);
    const { buffer } = this;
    let at = this.at;
    buffer[at++] = of.length;
    for (let i = 0; i < of.length; i++) {
      const code = of.charCodeAt(i);
      if (code > 127) return false;
      buffer[at++] = code;
    }
    this.at = at;
    return true;
  }

  byte(of: number): void {
    this.reserve(1);
    this.buffer[this.at++] = of;
  }

  uint16(of: number): void {
    this.reserve(2);
    this.buffer[this.at++] = of & 255;
    this.buffer[this.at++] = of >>> 8;
  }

  uint32(of: number): void {
    this.reserve(4);
    this.word(of);
  }

  /** A whole number of eight bytes; not negative. */
  int64(of: number): void {
    this.reserve(8);
    this.word(of % HIGH);
    this.word(Math.floor(of / HIGH));
  }

  private word(of: number): void {
    const { buffer, at } = this;
    buffer[at] = of & 255;
    buffer[at + 1] = (of >>> 8) & 255;
    buffer[at + 2] = (of >>> 16) & 255;
    buffer[at + 3] = of >>> 24;
    this.at = at + 4;
  }

  private bytes(of: Buffer): void {
    this.reserve(of.length);
    const { buffer, at } = this;
    for (let i = 0; i < of.length; i++) buffer[at + i] = of[i] as number;
    this.at = at + of.length;
  }

  /** Writes something, and the same again as often as there are rows. */
  repeat(times: number, write: () => void): void {
    const from = this.at;
    write();
    const one = this.buffer.subarray(from, this.at);
    const size = one.length;
    this.reserve(size * (times - 1));
    this.buffer.fill(one, this.at, from + size * times);
    this.at = from + size * times;
  }

  /** An id that many rows have. */
  id(of: string): void {
    this.bytes(BlockWriter.idOf(of));
  }

  /** An id that few rows have. */
  ownId(of: string): void {
    this.bytes(parseUuid(of));
  }

  address(of: string): void {
    this.bytes(BlockWriter.addressOf(of));
  }

  toBuffer(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.at));
  }
}

/* Each kind has a loop of its own: one for all kinds would call two functions for each value that no compiler can foresee. */

/** First which values there are none of. */
function writeMissing<Row>(out: BlockWriter, rows: readonly Row[], of: (row: Row) => unknown): void {
  for (const row of rows) out.byte(of(row) === null ? 1 : 0);
}

/** A column of each type that is used. */
export const native = {
  text: <Row>(name: string, of: (row: Row) => string): Column<Row> => ({
    name,
    type: 'String',
    write: (out, rows) => {
      for (const row of rows) out.text(of(row));
    },
  }),
  id: <Row>(name: string, of: (row: Row) => string): Column<Row> => ({
    name,
    type: 'UUID',
    write: (out, rows) => {
      for (const row of rows) out.id(of(row));
    },
  }),
  ownId: <Row>(name: string, of: (row: Row) => string): Column<Row> => ({
    name,
    type: 'UUID',
    write: (out, rows) => {
      for (const row of rows) out.ownId(of(row));
    },
  }),
  address: <Row>(name: string, of: (row: Row) => string): Column<Row> => ({
    name,
    type: 'IPv6',
    write: (out, rows) => {
      for (const row of rows) out.address(of(row));
    },
  }),
  flag: <Row>(name: string, of: (row: Row) => boolean): Column<Row> => ({
    name,
    type: 'Bool',
    write: (out, rows) => {
      for (const row of rows) out.byte(of(row) ? 1 : 0);
    },
  }),
  /** Seconds since 1970. */
  second: <Row>(name: string, of: (row: Row) => number): Column<Row> => ({
    name,
    type: `DateTime('UTC')`,
    write: (out, rows) => {
      for (const row of rows) out.uint32(of(row));
    },
  }),
  /** Milliseconds since 1970. */
  time: <Row>(name: string, of: (row: Row) => number): Column<Row> => ({
    name,
    type: `DateTime64(3, 'UTC')`,
    write: (out, rows) => {
      for (const row of rows) out.int64(of(row));
    },
  }),
  counter: <Row>(name: string, of: (row: Row) => number | null): Column<Row> => ({
    name,
    type: 'Nullable(Int64)',
    write: (out, rows) => {
      writeMissing(out, rows, of);
      for (const row of rows) out.int64(of(row) ?? 0);
    },
  }),
  small: <Row>(name: string, of: (row: Row) => number | null): Column<Row> => ({
    name,
    type: 'Nullable(UInt16)',
    write: (out, rows) => {
      writeMissing(out, rows, of);
      for (const row of rows) out.uint16(of(row) ?? 0);
    },
  }),
  number: <Row>(name: string, of: (row: Row) => number | null): Column<Row> => ({
    name,
    type: 'Nullable(UInt32)',
    write: (out, rows) => {
      writeMissing(out, rows, of);
      for (const row of rows) out.uint32(of(row) ?? 0);
    },
  }),
  optionalText: <Row>(name: string, of: (row: Row) => string | null): Column<Row> => ({
    name,
    type: 'Nullable(String)',
    write: (out, rows) => {
      writeMissing(out, rows, of);
      for (const row of rows) out.text(of(row) ?? '');
    },
  }),
  /** A column with the same value in all rows, of a kind that is never null. */
  same: <Row>({ name, type, write }: Column<Row>): Column<Row> => ({
    name,
    type,
    write: (out, rows) => {
      if (rows.length > 0) out.repeat(rows.length, () => write(out, rows.slice(0, 1)));
    },
  }),
  /** Columns that are compared and kept together. */
  tuple: <Row>(name: string, of: readonly Column<Row>[]): Column<Row> => ({
    name,
    type: `Tuple(${of.map(({ type }) => type).join(', ')})`,
    write: (out, rows) => {
      for (const column of of) column.write(out, rows);
    },
  }),
};

export function encodeBlock<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer {
  const out = new BlockWriter();
  out.size(columns.length);
  out.size(rows.length);
  for (const { name, type, write } of columns) {
    out.text(name);
    out.text(type);
    write(out, rows);
  }
  return out.toBuffer();
}
