import { randomSource } from '@/domain/firewall/random-state.fixture';
import type { FlowFilter } from '@/domain/flow/flow-filter';
import type { FlowReach } from '../flow-selection';
import { HOUR, type Inventory, iso, NOW, OTHER_SUBNET, SUBNET } from './flow-history.fixture';

/** Everything there is, before and after all of it. */
export const EVERYTHING = { since: iso(NOW - 24 * HOUR), until: iso(NOW + HOUR), cutoff: iso(NOW - 24 * HOUR) };

/** When workloads moved between tenants, in the middle of the histories. */
const MOVED_AT = iso(NOW - 1.4 * HOUR).replace('Z', '000Z');

/** The names of readers; the inventory that they see is made when tests run. */
export const READERS = [
  'everything',
  'one workload and no subnet',
  'two workloads and one subnet',
  'workloads that moved',
  'nothing',
];

/** Readers: one that sees everything, tenants with some workloads and subnets, and one that has nothing. */
export function listReaches({ workloads }: Inventory): Record<string, FlowReach> {
  const ids = (...which: number[]) => which.map((i) => workloads[i]?.id ?? '');
  return {
    everything: { visible: 'all', prefixes: 'all', periods: [] },
    'one workload and no subnet': { visible: ids(0), prefixes: [], periods: [] },
    'two workloads and one subnet': { visible: ids(1, 2), prefixes: [OTHER_SUBNET], periods: [] },
    'workloads that moved': {
      ...{ visible: ids(0, 1, 3), prefixes: [SUBNET] },
      periods: [
        { workload_id: ids(0)[0] ?? '', from: null, to: MOVED_AT, name: 'Formerly' },
        { workload_id: ids(1)[0] ?? '', from: MOVED_AT, to: null, name: null },
      ],
    },
    nothing: { visible: [], prefixes: [], periods: [] },
  };
}

/** A filter that totals by the minute can answer. */
export function makeFilter(random: () => number, { nodes, workloads }: Inventory): FlowFilter {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const all: FlowFilter[] = [
    {},
    { workload_id: pick(workloads).id },
    { node_id: pick(nodes).node_id },
    { source_workload_id: pick([...workloads.map(({ id }) => id), 'none']) },
    { destination_workload_id: pick([...workloads.map(({ id }) => id), 'none']) },
    { protocol: pick(['tcp', 'udp', 'icmp']) },
    { decision: pick([['drop', 'reject'], ['observed'], ['accept']] as const).slice() },
    {
      port: [
        pick([
          { first: 443, last: 443 },
          { first: 22, last: 53 },
          { first: 5432, last: 5432 },
        ]),
      ],
    },
    { address: pick(['internal', 'external']) },
    { source: pick(['internal', 'external']) },
    { destination: pick(['internal', 'external']) },
  ];
  return random() < 0.3 ? { ...pick(all), ...pick(all) } : pick(all);
}

/** Networks of both families; one of them is of IPv4, however it is written. */
const ENDS = ['10.7.0.1/32', '203.0.1.9/32', '10.8.0.1/32', '::/0', '::ffff:203.0.0.0/112', '2001:db8::/32'];

/** A filter that only single flows can answer. */
export function makeFlowFilter(random: () => number, inventory: Inventory): FlowFilter {
  const address = ENDS[Math.floor(random() * ENDS.length)] as string;
  const own: FlowFilter = random() < 0.5 ? { address } : { source: address };
  return random() < 0.6 ? makeFilter(random, inventory) : { ...makeFilter(random, inventory), ...own };
}

/** Many filters, each with a name to find it by. */
export const listFilters = (
  seed: number,
  count: number,
  inventory: Inventory,
  make: typeof makeFilter,
): FlowFilter[] => {
  const random = randomSource(seed);
  return Array.from({ length: Math.ceil(count) }, () => make(random, inventory));
};

/** Subnets of the histories. */
export const SUBNETS = [SUBNET, OTHER_SUBNET];
