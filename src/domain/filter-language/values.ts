import { listServiceNames, listServicesNamed } from '../firewall/data/services';
import { isProtocol, portRanges } from '../flow/typed-filter';
import { formatPortRange } from '../net/port-range';
import { formatEndpoint, observedAddress, parseEndpoint } from '../policy/endpoint';

/** How a field reads and writes its values. */
export type ValueKind = {
  /** The canonical values that a text means; null when it is none. Only names of services mean several. */
  readonly read: (text: string) => readonly string[] | null;
  /** How a canonical value is written: with its unit. */
  readonly write?: (value: string) => string;
  /** Whether values have an order, so that `<` and `>` compare them. */
  readonly ordered?: true;
  /** Offered while a value is typed. The first one is shown as the example where one is missing. */
  readonly examples: readonly string[];
  /** Whether the service knows names that begin like what is typed. */
  readonly named?: 'endpoint' | 'node' | 'cluster';
  /** Words that may follow a number after a blank: `10 MiB`. */
  readonly units?: Readonly<Record<string, number>>;
};

const one = (value: string | null): readonly string[] | null => (value === null ? null : [value]);
const isPlain = (text: string) => text !== '' && text.length <= 200 && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

/** Whole numbers below this stay exact. */
const MAX_AMOUNT = 1e15;

/** A kind of numbers with units; `units` begins with the largest, and the text has the first that divides the number. */
function createAmount(units: Readonly<Record<string, number>>, examples: readonly string[]): ValueKind {
  const byName = new Map(Object.entries(units).map(([name, factor]) => [name.toLowerCase(), factor]));
  return {
    read: (text) => {
      const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
      const factor = unit === '' ? 1 : byName.get(unit.toLowerCase());
      if (digits === '' || factor === undefined) return null;
      const amount = Math.round(Number(digits) * factor);
      return amount < MAX_AMOUNT ? [String(amount)] : null;
    },
    write: (value) => {
      const amount = Number(value);
      const [unit = '', factor = 1] =
        Object.entries(units).find(([, size]) => amount > 0 && amount % size === 0 && size > 1) ?? [];
      return `${amount / factor}${unit}`;
    },
    ordered: true,
    examples,
    units,
  };
}

function readEndpoint(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === 'internal' || trimmed === 'external') return trimmed;
  const endpoint = parseEndpoint(
    trimmed.replace(/^group:/i, 'sg:').replace(/^(vmid|network|tag|sg):/i, (it) => it.toLowerCase()),
  );
  // Everything is no condition, and an address that covers everything neither.
  if ('error' in endpoint || endpoint.kind === 'any') return null;
  return formatEndpoint(endpoint).replace(/^sg:/, 'group:');
}

function readPorts(text: string): string | null {
  const ranges = portRanges(text.trim());
  const [range, ...more] = Array.isArray(ranges) ? ranges : [];
  return range === undefined || more.length > 0 ? null : formatPortRange(range);
}

const WITH_PORTS = ['tcp', 'udp', 'sctp', 'dccp', 'udplite'];
/** Other protocols that are a service by themselves. */
const PLAIN = [...WITH_PORTS, 'icmp', 'icmpv6', 'igmp', 'gre', 'esp', 'ah', 'ospf', 'vrrp', 'pim', 'ipip'];

function readServices(text: string): readonly string[] | null {
  const name = text.trim().toLowerCase();
  const [protocol = '', ports, ...rest] = name.split('/');
  if (ports === undefined)
    return PLAIN.includes(name) ? [name] : listServicesNamed(name).length > 0 ? listServicesNamed(name) : null;
  const range = readPorts(ports);
  return rest.length === 0 && WITH_PORTS.includes(protocol) && range !== null ? [`${protocol}/${range}`] : null;
}

const createChoice = (words: readonly string[]): ValueKind => ({
  read: (text) => one(words.find((word) => word === text.trim().toLowerCase()) ?? null),
  examples: words,
});

const createName = (named: 'node' | 'cluster', example: string): ValueKind => ({
  read: (text) => (isPlain(text.trim()) ? [text.trim()] : null),
  examples: [example],
  named,
});

const ENDPOINT: ValueKind = {
  read: (text) => one(readEndpoint(text)),
  examples: ['internal', 'external', 'group:web', 'vmid:105', 'network:dmz', 'tag:prod', '10.0.0.0/24'],
  named: 'endpoint',
};
const COUNT = { M: 1e6, k: 1e3 };

/** The fields of a condition, in the order in which they are offered. */
export const FIELDS = {
  client: ENDPOINT,
  server: ENDPOINT,
  end: ENDPOINT,
  service: { read: readServices, examples: ['tcp/443', 'tcp/5432', 'udp/53', 'icmp', ...listServiceNames()] },
  action: createChoice(['allowed', 'dropped', 'rejected', 'unknown']),
  bytes: createAmount(
    { TiB: 2 ** 40, TB: 1e12, GiB: 2 ** 30, GB: 1e9, MiB: 2 ** 20, MB: 1e6, KiB: 2 ** 10, kB: 1e3, B: 1 },
    ['1GB', '100MB', '10MiB'],
  ),
  packets: createAmount(COUNT, ['1000', '1M']),
  duration: createAmount({ d: 86_400, h: 3_600, m: 60, min: 60, s: 1 }, ['5m', '1h', '30s']),
  port: { read: (text) => one(readPorts(text)), examples: ['443', '8000-8010'] },
  protocol: {
    read: (text) => one(isProtocol(text.trim().toLowerCase()) ? text.trim().toLowerCase() : null),
    examples: PLAIN,
  },
  address: { read: (text) => one(observedAddress(text)), examples: ['10.0.0.5', '10.0.0.0/24', '2001:db8::/32'] },
  node: createName('node', 'pve-01'),
  cluster: createName('cluster', 'lab'),
  state: createChoice(['active', 'ended']),
} as const satisfies Record<string, ValueKind>;

export type Field = keyof typeof FIELDS;
export const FIELD_NAMES = Object.keys(FIELDS) as Field[];

/** The kind of a field's values; undefined for a word that is no field. */
export const getValueKind = (field: string): ValueKind | undefined =>
  Object.hasOwn(FIELDS, field) ? FIELDS[field as Field] : undefined;
