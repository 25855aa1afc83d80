import { ICMPV6 } from '../firewall/data/protocols';
import type { ByteReader } from './byte-reader';
import { hasPorts, isIcmp, type Observation } from './observation';
import { type Domain, setSampling, type Template, type TemplateField, VARIABLE } from './template-memory';

/** What a record said, by what it means; absent: nothing. Numbers of fields are those of IPFIX, which NetFlow 9 shares. */
type Values = {
  source_ipv4?: string | null;
  destination_ipv4?: string | null;
  source_ipv6?: string | null;
  destination_ipv6?: string | null;
  protocol?: number | null;
  source_port?: number | null;
  destination_port?: number | null;
  /** Type and code of ICMP in one number. */
  icmp?: number | null;
  icmpv6?: number | null;
  icmp_type?: number | null;
  icmp_code?: number | null;
  icmpv6_type?: number | null;
  icmpv6_code?: number | null;
  vlan?: number | null;
  bytes?: number | null;
  packets?: number | null;
  reverse_bytes?: number | null;
  reverse_packets?: number | null;
  /** In milliseconds since 1970. */
  first?: number | null;
  last?: number | null;
  /** In milliseconds of up time. */
  first_uptime?: number | null;
  last_uptime?: number | null;
  /** Microseconds before the export. */
  first_delta?: number | null;
  last_delta?: number | null;
  started?: number | null;
  interval?: number | null;
  space?: number | null;
  size?: number | null;
  population?: number | null;
  probability?: number | null;
  sampler?: number | null;
  interface?: number | null;
};

type Read = (reader: ByteReader, length: number) => number | string | null;
const number: Read = (reader, length) => reader.uint(length);
const seconds: Read = (reader, length) => {
  const value = reader.uint(length);
  return value === null ? null : value * 1000;
};
const ntp: Read = (reader, length) => reader.ntpTime(length);
const ipv4: Read = (reader, length) => (length === 4 ? reader.address(length) : null);
const ipv6: Read = (reader, length) => (length === 16 ? reader.address(length) : null);
const probability: Read = (reader, length) => reader.probability(length);

const FIELDS: Readonly<Record<number, readonly [keyof Values, Read]>> = {
  1: ['bytes', number],
  2: ['packets', number],
  4: ['protocol', number],
  7: ['source_port', number],
  8: ['source_ipv4', ipv4],
  10: ['interface', number],
  11: ['destination_port', number],
  12: ['destination_ipv4', ipv4],
  21: ['last_uptime', number],
  22: ['first_uptime', number],
  27: ['source_ipv6', ipv6],
  28: ['destination_ipv6', ipv6],
  32: ['icmp', number],
  34: ['interval', number],
  48: ['sampler', number],
  50: ['interval', number],
  58: ['vlan', number],
  139: ['icmpv6', number],
  150: ['first', seconds],
  151: ['last', seconds],
  152: ['first', number],
  153: ['last', number],
  154: ['first', ntp],
  155: ['last', ntp],
  156: ['first', ntp],
  157: ['last', ntp],
  158: ['first_delta', number],
  159: ['last_delta', number],
  160: ['started', number],
  176: ['icmp_type', number],
  177: ['icmp_code', number],
  178: ['icmpv6_type', number],
  179: ['icmpv6_code', number],
  243: ['vlan', number],
  302: ['sampler', number],
  305: ['interval', number],
  306: ['space', number],
  309: ['size', number],
  310: ['population', number],
  311: ['probability', probability],
};

/** Fields of the other direction, in records of both (RFC 5103). */
const REVERSE = 29_305;
const REVERSE_FIELDS: Readonly<Record<number, readonly [keyof Values, Read]>> = {
  1: ['reverse_bytes', number],
  2: ['reverse_packets', number],
};
/** NetFlow 9 numbers scopes by themselves: this one is an interface. */
const INTERFACE_SCOPE = 2;

const findField = ({ id, enterprise }: TemplateField) => {
  if (enterprise === 0) return FIELDS[id];
  return enterprise === REVERSE ? REVERSE_FIELDS[id] : undefined;
};

/** Bytes of a field with its own length. */
function readLength(reader: ByteReader): number {
  const length = reader.u8();
  return length < 255 ? length : reader.u16();
}

/** The fields of one record that mean something here; all of its bytes are read. */
export function readValues(reader: ByteReader, template: Template, hasOwnScopes: boolean): Values {
  const values: Values = {};
  for (const [index, field] of template.fields.entries()) {
    const length = field.length === VARIABLE ? readLength(reader) : field.length;
    const bytes = reader.take(length);
    if (reader.isShort) return values;
    if (hasOwnScopes && template.scopes !== null && index < template.scopes) {
      if (field.id === INTERFACE_SCOPE) values.interface = bytes.uint(length);
      continue;
    }
    const known = findField(field);
    if (!known) continue;
    const [name, read] = known;
    const value = read(bytes, length);
    // The same value may have several fields, of which only one is filled.
    if (value !== null && values[name] === undefined) Object.assign(values, { [name]: value });
  }
  return values;
}

/** Of how many packets one is sampled; 1: all count; null: the record does not say. */
function computeSampling({ interval, space, size, population, probability }: Values): number | null {
  if (space !== undefined && space !== null) return Math.max(1, ((interval ?? 1) + space) / Math.max(interval ?? 1, 1));
  if (interval !== undefined && interval !== null) return Math.max(1, interval);
  if (size && population) return Math.max(1, population / size);
  return probability ? 1 / probability : null;
}

/** Remembers what an options record says about sampling and clocks. */
export function applyOptions(domain: Domain, values: Values): void {
  if (values.started) domain.started_ms = values.started;
  const sampling = computeSampling(values);
  if (sampling === null) return;
  if (values.sampler !== undefined) setSampling(domain, `sampler ${values.sampler}`, sampling);
  else if (values.interface !== undefined) setSampling(domain, `interface ${values.interface}`, sampling);
  else setSampling(domain, '', sampling);
}

function findSampling(domain: Domain, values: Values): number | null {
  const own = computeSampling(values);
  if (own !== null) return own;
  // Zero: this record was not sampled.
  if (values.sampler) return domain.samplings.get(`sampler ${values.sampler}`) ?? null;
  const ofInterface = domain.samplings.get(`interface ${values.interface}`);
  return ofInterface ?? domain.samplings.get('') ?? 1;
}

export type Clock = {
  /** When the datagram was sent, in milliseconds since 1970, and at which up time; null: not known. */
  exported_ms: number;
  uptime_ms: number | null;
};

/** A moment in up time, which has 32 bits and begins again after 50 days. */
function fromUptime(uptime: number, started_ms: number | null, { exported_ms, uptime_ms }: Clock): number | null {
  if (uptime_ms !== null) return exported_ms - ((uptime_ms - uptime) | 0);
  return started_ms === null ? null : started_ms + uptime;
}

function findTime(values: Values, end: 'first' | 'last', domain: Domain, clock: Clock): number | null {
  const absolute = values[end];
  if (absolute !== undefined && absolute !== null) return absolute;
  const uptime = values[`${end}_uptime`];
  if (uptime !== undefined && uptime !== null) {
    return fromUptime(uptime, values.started ?? domain.started_ms, clock);
  }
  const delta = values[`${end}_delta`];
  return delta === undefined || delta === null ? null : clock.exported_ms - Math.round(delta / 1000);
}

const inRange = (value: number | null | undefined, most: number, least = 0): number | null =>
  value === null || value === undefined || value < least || value > most ? null : value;

/**
 * Type and code of ICMP: fields of their own, both in one, or in the place of the destination port. A template can have the fields of both
 * families: those of ICMPv6 are filled unless they are zeros, which is no type of it.
 */
function readIcmp(values: Values, protocol: number): { icmp_type: number | null; icmp_code: number | null } {
  const isV6 = protocol === ICMPV6;
  const own = isV6 ? values.icmpv6 || values.icmp : (values.icmp ?? values.icmpv6);
  const both = inRange(own ?? values.destination_port, 0xffff);
  const hasV6 = isV6 ? Boolean(values.icmpv6_type) : values.icmp_type === undefined;
  const [type, code] = hasV6 ? [values.icmpv6_type, values.icmpv6_code] : [values.icmp_type, values.icmp_code];
  return {
    icmp_type: inRange(type, 255) ?? (both === null ? null : both >> 8),
    icmp_code: inRange(code, 255) ?? (both === null ? null : both & 255),
  };
}

/** Both ends, of one family. A template can have addresses of each: those that are not filled are zeros. Null: a field is missing. */
function findEnds(values: Values): { source_ip: string; destination_ip: string } | null {
  const { source_ipv4, destination_ipv4, source_ipv6, destination_ipv6 } = values;
  const ipv4 = source_ipv4 && destination_ipv4 ? { source_ip: source_ipv4, destination_ip: destination_ipv4 } : null;
  const ipv6 = source_ipv6 && destination_ipv6 ? { source_ip: source_ipv6, destination_ip: destination_ipv6 } : null;
  const isFilled = ipv4 && (ipv4.source_ip !== UNSPECIFIED || ipv4.destination_ip !== UNSPECIFIED);
  return isFilled ? ipv4 : (ipv6 ?? ipv4);
}

const UNSPECIFIED = '0.0.0.0';

/** The traffic of a data record, a direction each; nothing when it is not about IP traffic. */
export function toObservations(domain: Domain, values: Values, clock: Clock): Observation[] {
  const ends = findEnds(values);
  const protocol = inRange(values.protocol, 255);
  if (!ends || protocol === null) return [];
  const { source_ip, destination_ip } = ends;
  const ported = hasPorts(protocol);
  const forward: Observation = {
    source_ip,
    destination_ip,
    protocol,
    source_port: ported ? inRange(values.source_port, 0xffff) : null,
    destination_port: ported ? inRange(values.destination_port, 0xffff) : null,
    ...(isIcmp(protocol) ? readIcmp(values, protocol) : { icmp_type: null, icmp_code: null }),
    vlan: inRange(values.vlan, 4094, 1),
    bytes: values.bytes ?? null,
    packets: values.packets ?? null,
    first_ms: findTime(values, 'first', domain, clock),
    last_ms: findTime(values, 'last', domain, clock),
    sampling: findSampling(domain, values),
    initiator: null,
  };
  if (values.reverse_packets === undefined && values.reverse_bytes === undefined) return [forward];
  const answers = {
    ...forward,
    ...{ source_ip: destination_ip, destination_ip: source_ip },
    ...{ source_port: forward.destination_port, destination_port: forward.source_port },
    // Those of the request.
    ...{ icmp_type: null, icmp_code: null },
    bytes: values.reverse_bytes ?? null,
    packets: values.reverse_packets ?? null,
  };
  // A direction without packets had no traffic.
  return answers.packets === 0 ? [forward] : [{ ...forward, initiator: 'source' }, answers];
}
