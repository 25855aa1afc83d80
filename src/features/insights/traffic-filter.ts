import type { Condition } from '@/domain/filter-language/condition';
import { formatCondition } from '@/domain/filter-language/format';
import { portRanges } from '@/domain/flow/typed-filter';
import type { InsightsOverview, TrafficMode } from '@/domain/insights';

type Workload = Pick<InsightsOverview['workload'], 'vmid' | 'cluster_name'>;
type Narrowed = { address?: string | null; port?: string | null; protocol?: string | null };

const is = (field: string, ...values: string[]): Condition => ({
  kind: 'compare',
  field,
  operator: values.length === 1 ? '=' : 'in',
  values,
});
const all = (...of: Condition[]): Condition => ({ kind: 'and', of });

function listModeConditions(mode: TrafficMode, me: string): Condition[] {
  switch (mode) {
    case 'all':
      return [is('end', me)];
    case 'inbound':
      return [is('server', me)];
    case 'outbound':
      return [is('client', me)];
    case 'internal':
    case 'external':
      return [
        {
          kind: 'or',
          of: [all(is('client', me), is('server', mode)), all(is('server', me), is('client', mode))],
        },
      ];
    case 'denied':
      return [is('end', me), is('action', 'dropped', 'rejected')];
  }
}

function listServiceConditions({ protocol, port }: Narrowed): Condition[] {
  const ranges = port ? portRanges(port) : null;
  const ports = Array.isArray(ranges)
    ? ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`))
    : [];
  const name = protocol?.toLowerCase();
  if (ports.length === 0) return name ? [is('protocol', name)] : [];
  return [name ? is('service', ...ports.map((one) => `${name}/${one}`)) : is('port', ...ports)];
}

/** The text of the filter for a workload's conversations, as far as its page narrows them down. */
export function formatTrafficFilter({ vmid, cluster_name }: Workload, mode: TrafficMode, narrowed: Narrowed): string {
  const { address } = narrowed;
  const isPlace = address === 'internal' || address === 'external';
  const conditions = [
    // Names of workloads may occur twice.
    ...listModeConditions(mode, `vmid:${cluster_name}/${vmid}`),
    ...(address ? [is(isPlace ? 'end' : 'address', address)] : []),
    ...listServiceConditions(narrowed),
  ];
  const [only] = conditions;
  return formatCondition(conditions.length === 1 && only ? only : all(...conditions));
}
