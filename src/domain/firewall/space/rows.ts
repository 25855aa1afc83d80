import { formatCidr, rangeToCidrs } from '../../net/cidr';
import { formatIp } from '../../net/ip-address';
import { formatPortRange } from '../../net/port-range';
import { icmpName } from '../data/icmp-types';
import { protocolName } from '../data/protocols';
import { type Addresses, ALL_ICMP, ALL_PORTS, allAddresses, type Box, type LastOctet } from './box';
import { equalSpans, joinSpans, type Span, subtractSpans } from './spans';

/** Addresses as text: networks, ranges, single addresses. */
export type AddressText = {
  readonly networks: readonly string[];
  /** The addresses are all but these networks. */
  readonly except: boolean;
  /** How many more networks there are. */
  readonly left_out: number;
  /** Only addresses that end in .255, or only others. */
  readonly last_octet: LastOctet | null;
};

/** A set of packets as text. Null: any, or not a field of these packets. */
export type PacketText = {
  readonly from: AddressText | null;
  readonly to: AddressText | null;
  readonly protocols: readonly string[] | null;
  readonly ports: readonly string[] | null;
  readonly source_ports: readonly string[] | null;
  /** Names, or types with their codes such as `3/4`. */
  readonly icmp: readonly string[] | null;
};

/** More texts than this of one field are not read by anyone. */
const MOST = 50;

function formatSpan({ first, last }: Span<bigint>, family: 4 | 6): string {
  const [from, to] = [
    { family, value: first },
    { family, value: last },
  ] as const;
  const [cidr, ...others] = rangeToCidrs(from, to);
  if (first === last) return formatIp(from);
  return cidr && others.length === 0 ? formatCidr(cidr) : `${formatIp(from)}-${formatIp(to)}`;
}

function formatAddresses({ spans, last_octet }: Addresses, family: 4 | 6): AddressText | null {
  const all = allAddresses(family);
  if (equalSpans(spans, all)) return last_octet ? { networks: [], except: true, left_out: 0, last_octet } : null;
  const others = subtractSpans(all, spans);
  const except = others.length < spans.length;
  const listed = except ? others : spans;
  const networks = listed.slice(0, MOST).map((span) => formatSpan(span, family));
  return { networks, except, left_out: listed.length - networks.length, last_octet: last_octet ?? null };
}

function formatPorts(ranges: readonly Span<number>[]): string[] | null {
  if (equalSpans(ranges, ALL_PORTS)) return null;
  return ranges.map((range) => formatPortRange(range));
}

/** Runs of types with all codes by their types, everything else by type and code. */
function formatIcmp(ranges: readonly Span<number>[], family: 4 | 6): string[] | null {
  if (equalSpans(ranges, ALL_ICMP)) return null;
  const texts: string[] = [];
  for (const { first, last } of ranges) {
    for (let value = first; value <= last; ) {
      const [type, code] = [value >> 8, value & 255];
      const whole = code === 0 ? ((last + 1) >> 8) - type : 0;
      const end = whole > 0 ? (type + whole) * 256 - 1 : Math.min(last, value | 255);
      if (whole > 2) texts.push(`${type}-${type + whole - 1}`);
      else if (whole > 0) for (let one = type; one < type + whole; one++) texts.push(icmpName(one, family) ?? `${one}`);
      else texts.push(end === value ? `${type}/${code}` : `${type}/${code}-${end & 255}`);
      value = end + 1;
    }
  }
  return texts;
}

function formatProtocols(protocols: readonly number[]): string[] | null {
  if (protocols.length === 256) return null;
  return joinSpans(protocols.map((number) => ({ first: number, last: number }))).flatMap(({ first, last }) =>
    last - first > 1
      ? [`${first}-${last}`]
      : Array.from({ length: last - first + 1 }, (_, at) => protocolName(first + at) ?? `${first + at}`),
  );
}

/** A set of packets as a row that people can read. */
export const formatBox = ({ family, ...box }: Box): PacketText => ({
  from: formatAddresses(box.sources, family),
  to: formatAddresses(box.destinations, family),
  protocols: formatProtocols(box.protocols),
  ports: formatPorts(box.destination_ports),
  source_ports: formatPorts(box.source_ports),
  icmp: formatIcmp(box.icmp, family),
});
