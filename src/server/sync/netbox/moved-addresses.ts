import type { ImportChange } from '@/domain/ipam/csv-import';
import { parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { PrefixTable } from '@/domain/net/prefix-table';
import type { ImportContext } from '../../addresses/imports/plan-addresses';
import type { SubnetPlan } from '../../addresses/imports/plan-subnets';

type Prefix = { cidr: string; isNew: boolean };

/** How many stored addresses move into each new prefix, by its network and text: those whose longest prefix it becomes. */
function countMoved(
  { create }: Pick<SubnetPlan, 'create'>,
  { subnets, addresses }: ImportContext,
): Map<string, number> {
  const tables = new Map(create.map(({ network_id }) => [network_id, new PrefixTable<Prefix>()]));
  const add = (network: string, cidr: string, isNew: boolean) => {
    const parsed = parseCidr(cidr);
    if (parsed) tables.get(network)?.set(parsed, { cidr, isNew });
  };
  for (const { network_id, cidr } of subnets) add(network_id, cidr, false);
  for (const { network_id, cidr } of create) add(network_id, cidr, true);
  const moved = new Map<string, number>();
  for (const { network_id, address } of addresses) {
    const ip = parseIp(address);
    const home = ip && tables.get(network_id)?.match(ip);
    const key = `${network_id} ${home?.cidr}`;
    if (home?.isNew) moved.set(key, (moved.get(key) ?? 0) + 1);
  }
  return moved;
}

/** Changes of prefixes; new ones say how many stored addresses move into them, since these have no line of their own. */
export function withMoved(plan: Pick<SubnetPlan, 'create' | 'changes'>, context: ImportContext): ImportChange[] {
  const moved = countMoved(plan, context);
  if (moved.size === 0) return plan.changes;
  const clusters = new Map(context.clusters.map(({ id, name }) => [name, id]));
  const networks = new Map(context.networks.map(({ id, cluster_id, name }) => [`${cluster_id} ${name}`, id]));
  return plan.changes.map((change) => {
    const network = networks.get(`${clusters.get(change.cluster_name)} ${change.network_name}`);
    const count = change.action === 'create' ? moved.get(`${network} ${change.name}`) : undefined;
    if (count === undefined) return change;
    return { ...change, fields: [...change.fields, { field: 'addresses_moved', old: null, new: count }] };
  });
}
