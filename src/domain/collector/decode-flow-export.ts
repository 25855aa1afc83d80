import { ByteReader } from './byte-reader';
import type { DecodedDatagram } from './observation';
import { applyOptions, type Clock, readValues, toObservations } from './read-record';
import {
  type Domain,
  findTemplate,
  forgetTemplate,
  setTemplate,
  type TemplateField,
  type TemplateMemory,
} from './template-memory';

const NETFLOW9 = 9;
const IPFIX = 10;
/** Numbers of sets; data sets have the number of their template. */
const SETS = {
  [NETFLOW9]: { templates: 0, options: 1 },
  [IPFIX]: { templates: 2, options: 3 },
} as const;
const FIRST_TEMPLATE = 256;
/** Marks a field of IPFIX that has an enterprise number. */
const ENTERPRISE_BIT = 0x8000;

type Version = typeof NETFLOW9 | typeof IPFIX;
type Decoding = { version: Version; domain: Domain; clock: Clock; now: number; result: DecodedDatagram };

/** Fields of a template; null when there are fewer than announced. */
function readFields(reader: ByteReader, count: number, version: Version): TemplateField[] | null {
  if (count * 4 > reader.left) return null;
  const fields: TemplateField[] = [];
  for (let i = 0; i < count; i += 1) {
    const id = reader.u16();
    const length = reader.u16();
    const isPrivate = version === IPFIX && (id & ENTERPRISE_BIT) !== 0;
    fields.push({ id: isPrivate ? id & ~ENTERPRISE_BIT : id, enterprise: isPrivate ? reader.u32() : 0, length });
  }
  return reader.isShort ? null : fields;
}

/** IPFIX: a template without fields takes back one template, or all of its kind. */
function withdraw(domain: Domain, id: number, set: number, isOptions: boolean): void {
  if (id !== set) forgetTemplate(domain, id);
  else {
    for (const [number, { scopes }] of domain.templates) {
      if ((scopes !== null) === isOptions) forgetTemplate(domain, number);
    }
  }
}

/** One template of a set. @returns whether the set can be read on */
function readTemplate(reader: ByteReader, set: number, isOptions: boolean, decoding: Decoding): boolean {
  const { version, domain, now } = decoding;
  const id = reader.u16();
  const first = reader.u16();
  if (version === IPFIX && first === 0) {
    withdraw(domain, id, set, isOptions);
    return true;
  }
  if (id < FIRST_TEMPLATE) return false;
  let [count, scopes]: [number, number | null] = [first, null];
  if (isOptions) {
    const second = reader.u16();
    // NetFlow 9 has the bytes of scopes and of other fields, IPFIX the number of all fields and of scopes.
    [count, scopes] =
      version === NETFLOW9 ? [Math.floor((first + second) / 4), Math.floor(first / 4)] : [first, second];
  }
  const fields = readFields(reader, count, version);
  if (!fields) return false;
  setTemplate(domain, id, { fields, scopes }, now);
  return true;
}

function readTemplates(reader: ByteReader, set: number, isOptions: boolean, decoding: Decoding): void {
  // Less than the head of a template is padding.
  const head = isOptions && decoding.version === NETFLOW9 ? 6 : 4;
  while (reader.left >= head) {
    if (readTemplate(reader, set, isOptions, decoding)) continue;
    decoding.result.is_malformed = true;
    return;
  }
}

function readData(reader: ByteReader, set: number, { version, domain, clock, now, result }: Decoding): void {
  const template = findTemplate(domain, set, now);
  if (!template) {
    result.unknown_templates += 1;
    // The number of its records is not known.
    if (version === IPFIX) result.advance = null;
    return;
  }
  // What is shorter than any record is padding.
  while (reader.left >= template.shortest) {
    const values = readValues(reader, template, version === NETFLOW9);
    if (reader.isShort) {
      result.is_malformed = true;
      return;
    }
    if (version === IPFIX && result.advance !== null) result.advance += 1;
    if (template.scopes !== null) applyOptions(domain, values);
    else {
      const found = toObservations(domain, values, clock);
      if (found.length === 0) result.skipped += 1;
      result.observations.push(...found);
    }
  }
}

function readSets(reader: ByteReader, decoding: Decoding): void {
  const sets = SETS[decoding.version];
  while (reader.left >= 4) {
    const set = reader.u16();
    const length = reader.u16();
    if (length < 4 || length - 4 > reader.left) {
      decoding.result.is_malformed = true;
      return;
    }
    const content = reader.take(length - 4);
    if (set === sets.templates || set === sets.options) {
      readTemplates(content, set, set === sets.options, decoding);
    } else if (set >= FIRST_TEMPLATE) readData(content, set, decoding);
  }
}

type Head = { stream: string; sequence: number; clock: Clock; advance: number; content: ByteReader };

function readHead(reader: ByteReader, version: Version): Head | null {
  if (version === NETFLOW9) {
    reader.skip(2);
    const uptime_ms = reader.u32();
    const exported_ms = reader.u32() * 1000;
    const sequence = reader.u32();
    const stream = `netflow9 ${reader.u32()}`;
    return { stream, sequence, clock: { exported_ms, uptime_ms }, advance: 1, content: reader };
  }
  const length = reader.u16() - 16;
  const exported_ms = reader.u32() * 1000;
  const sequence = reader.u32();
  const stream = `ipfix ${reader.u32()}`;
  if (length < 0 || length > reader.left) return null;
  return { stream, sequence, clock: { exported_ms, uptime_ms: null }, advance: 0, content: reader.take(length) };
}

/**
 * Decodes a datagram of NetFlow 9 (RFC 3954) or IPFIX (RFC 7011), and remembers its templates. Never throws.
 * @param now in milliseconds since 1970
 * @returns null for anything else
 */
export function decodeFlowExport(bytes: Uint8Array, memory: TemplateMemory, now: number): DecodedDatagram | null {
  const reader = new ByteReader(bytes);
  const version = reader.u16();
  if (version !== NETFLOW9 && version !== IPFIX) return null;
  const head = readHead(reader, version);
  if (!head || reader.isShort) return null;
  const { stream, sequence, clock, advance, content } = head;
  const result: DecodedDatagram = {
    ...{ protocol: version === NETFLOW9 ? 'netflow9' : 'ipfix', stream, sequence, advance },
    ...{ observations: [], unknown_templates: 0, skipped: 0, is_malformed: false },
  };
  readSets(content, { version, domain: memory.domain(stream, now), clock, now, result });
  return result;
}
