import { parseIp } from '../net/ip-address';

/** One direction of a conversation, with what is new since it was last sent. Times in milliseconds since 1970. */
export type IpfixRecord = {
  source_ip: string;
  destination_ip: string;
  source_port: number;
  destination_port: number;
  /** Number of the IP protocol. */
  protocol: number;
  /** Instead of ports; null: the protocol is another one, or they are not known. */
  icmp: { type: number; code: number } | null;
  /** Null: not counted. */
  counters: { bytes: number; packets: number } | null;
  /** `forwardingStatus` of RFC 7270. */
  status: number;
  first: number;
  last: number;
};

export type IpfixHeader = {
  /** Observation domain. */
  domain: number;
  /** Data records that were sent before in this domain. */
  sequence: number;
  /** Seconds since 1970. */
  exported_at: number;
};
/** `records`: how many data records it has. */
export type IpfixMessage = { header: IpfixHeader; bytes: Uint8Array; records: number };

type Parsed = IpfixRecord & { source: bigint; destination: bigint };
type Field = { element: number; length: 1 | 2 | 4 | 8 | 16; read: (record: Parsed) => number | bigint };
type Template = {
  id: number;
  family: 4 | 6;
  isIcmp: boolean;
  isCounted: boolean;
  fields: readonly Field[];
  bytes: number;
};

const VERSION = 10;
const HEADER_BYTES = 16;
const SET_BYTES = 4;
const TEMPLATE_SET = 2;
const OPTIONS_SET = 3;

const field = (element: number, length: Field['length'], read: Field['read']): Field => ({ element, length, read });

/** Information elements of the registry of IANA. */
function listFields({ family, isIcmp, isCounted }: Pick<Template, 'family' | 'isIcmp' | 'isCounted'>): Field[] {
  const [source, destination, icmp] = family === 4 ? [8, 12, 32] : [27, 28, 139];
  const length = family === 4 ? 4 : 16;
  const ports = [
    field(7, 2, ({ source_port }) => source_port),
    field(11, 2, ({ destination_port }) => destination_port),
  ];
  const typeAndCode = field(icmp, 2, (record) => (record.icmp ? record.icmp.type * 256 + record.icmp.code : 0));
  const counters = [
    field(1, 8, (record) => BigInt(record.counters?.bytes ?? 0)),
    field(2, 8, (record) => BigInt(record.counters?.packets ?? 0)),
  ];
  return [
    field(source, length, (record) => record.source),
    field(destination, length, (record) => record.destination),
    ...(isIcmp ? [typeAndCode] : ports),
    field(4, 1, ({ protocol }) => protocol),
    field(89, 1, ({ status }) => status),
    field(152, 8, ({ first }) => BigInt(first)),
    field(153, 8, ({ last }) => BigInt(last)),
    ...(isCounted ? counters : []),
  ];
}

/** One for each kind of record. */
const TEMPLATES: readonly Template[] = [true, false].flatMap((isCounted) =>
  [false, true].flatMap((isIcmp) =>
    ([4, 6] as const).map((family): Template => {
      const fields = listFields({ family, isIcmp, isCounted });
      const id = 256 + (family === 6 ? 1 : 0) + (isIcmp ? 2 : 0) + (isCounted ? 0 : 4);
      return { id, family, isIcmp, isCounted, fields, bytes: fields.reduce((sum, { length }) => sum + length, 0) };
    }),
  ),
);

const templateBytes = ({ fields }: Template): number => 4 + 4 * fields.length;

/** Writes numbers of any length one after the other. */
class Writer {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;
  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }
  write(value: number | bigint, length: Field['length']): void {
    if (length === 1) this.view.setUint8(this.at, Number(value));
    else if (length === 2) this.view.setUint16(this.at, Number(value));
    else if (length === 4) this.view.setUint32(this.at, Number(value));
    else if (length === 8) this.view.setBigUint64(this.at, BigInt(value));
    else {
      this.view.setBigUint64(this.at, BigInt(value) >> 64n);
      this.view.setBigUint64(this.at + 8, BigInt.asUintN(64, BigInt(value)));
    }
    this.at += length;
  }
  writeHeader({ domain, sequence, exported_at }: IpfixHeader): void {
    this.write(VERSION, 2);
    this.write(this.bytes.length, 2);
    this.write(exported_at, 4);
    this.write(sequence % 2 ** 32, 4);
    this.write(domain, 4);
  }
  writeTemplates(templates: readonly Template[]): void {
    this.write(TEMPLATE_SET, 2);
    this.write(SET_BYTES + templates.reduce((sum, one) => sum + templateBytes(one), 0), 2);
    for (const { id, fields } of templates) {
      this.write(id, 2);
      this.write(fields.length, 2);
      for (const { element, length } of fields) {
        this.write(element, 2);
        this.write(length, 2);
      }
    }
  }
}

type DataSet = { template: Template; records: Parsed[] };

/** The next message while it is filled. */
class Draft {
  readonly sets: DataSet[] = [];
  readonly templates: Template[] = [];
  size = HEADER_BYTES + SET_BYTES;
  records = 0;

  /** @returns false when it does not fit beside the records before it */
  add(template: Template, record: Parsed, most: number): boolean {
    const last = this.sets.at(-1);
    const isKnown = this.templates.includes(template);
    const isSameSet = last?.template === template;
    const needed = template.bytes + (isKnown ? 0 : templateBytes(template)) + (isSameSet ? 0 : SET_BYTES);
    if (this.records > 0 && this.size + needed > most) return false;
    if (!isKnown) this.templates.push(template);
    if (isSameSet) last.records.push(record);
    else this.sets.push({ template, records: [record] });
    this.size += needed;
    this.records += 1;
    return true;
  }

  encode(header: IpfixHeader): IpfixMessage {
    const writer = new Writer(this.size);
    writer.writeHeader(header);
    writer.writeTemplates(this.templates);
    for (const { template, records } of this.sets) {
      writer.write(template.id, 2);
      writer.write(SET_BYTES + records.length * template.bytes, 2);
      for (const record of records) for (const { read, length } of template.fields) writer.write(read(record), length);
    }
    return { header, bytes: writer.bytes, records: this.records };
  }
}

/** Whether there is a template for it: both of its ends are addresses of one family. */
export function canEncode({ source_ip, destination_ip }: IpfixRecord): boolean {
  const family = parseIp(source_ip)?.family;
  return family !== undefined && family === parseIp(destination_ip)?.family;
}

function parseRecord(record: IpfixRecord): { template: Template; parsed: Parsed } {
  const [source, destination] = [parseIp(record.source_ip), parseIp(record.destination_ip)];
  const template = TEMPLATES.find(
    ({ family, isIcmp, isCounted }) =>
      family === source?.family && isIcmp === (record.icmp !== null) && isCounted === (record.counters !== null),
  );
  if (!source || !destination || !template || destination.family !== source.family)
    throw new Error(`expected two addresses of one family: ${record.source_ip}, ${record.destination_ip}`);
  return { template, parsed: { ...record, source: source.value, destination: destination.value } };
}

/**
 * IPFIX messages (RFC 7011) with the records in their order. Each has the templates of its records: a receiver that started later, or lost
 * a datagram, understands the next one.
 * @param records those that `canEncode`
 * @param most bytes of a message
 */
export function encodeIpfix(records: readonly IpfixRecord[], header: IpfixHeader, most: number): IpfixMessage[] {
  const messages: IpfixMessage[] = [];
  let draft = new Draft();
  let { sequence } = header;
  const finish = () => {
    messages.push(draft.encode({ ...header, sequence }));
    sequence += draft.records;
    draft = new Draft();
  };
  for (const record of records) {
    const { template, parsed } = parseRecord(record);
    if (draft.add(template, parsed, most)) continue;
    finish();
    draft.add(template, parsed, most);
  }
  if (draft.records > 0) finish();
  return messages;
}

const TEMPLATES_BYTES = TEMPLATES.reduce((sum, one) => sum + templateBytes(one), HEADER_BYTES + SET_BYTES);

/** A message with the templates of every kind of record, and no data: it changes no sequence. */
export function encodeIpfixTemplates(header: IpfixHeader): Uint8Array {
  const writer = new Writer(TEMPLATES_BYTES);
  writer.writeHeader(header);
  writer.writeTemplates(TEMPLATES);
  return writer.bytes;
}

/** Scope: the observation domain; `exportedFlowRecordTotalCount`. */
const TOTALS = { id: 264, fields: [[149, 4] as const, [42, 8] as const] };

/**
 * The same with an options record that says how many data records were sent: it is no flow, so it changes no traffic of a receiver. It
 * belongs to the exporting process and not to an observation domain: that is domain 0.
 */
export function encodeIpfixTest(exported_at: number, total: number): Uint8Array {
  const templateSet = SET_BYTES + 6 + 4 * TOTALS.fields.length;
  const dataSet = SET_BYTES + 12;
  const writer = new Writer(TEMPLATES_BYTES + templateSet + dataSet);
  writer.writeHeader({ domain: 0, sequence: 0, exported_at });
  writer.writeTemplates(TEMPLATES);
  for (const value of [OPTIONS_SET, templateSet, TOTALS.id, TOTALS.fields.length, 1]) writer.write(value, 2);
  for (const value of TOTALS.fields.flat()) writer.write(value, 2);
  for (const value of [TOTALS.id, dataSet]) writer.write(value, 2);
  writer.write(0, 4);
  writer.write(total, 8);
  return writer.bytes;
}
