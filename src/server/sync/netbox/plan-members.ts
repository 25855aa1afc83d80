import type { ImportChange } from '@/domain/ipam/csv-import';
import type { RowError } from '@/domain/ipam/import-rows';
import { parseIp } from '@/domain/net/ip-address';
import type { NetboxSourceInput } from '@/domain/netbox/source';
import type { ImportContext } from '../../addresses/imports/plan-addresses';
import type { MemberContext } from '../queries/netbox-objects';
import type { Placed } from './find-conflicts';

export type MemberPlan = {
  /** Workloads to add, by group. */
  add: Map<string, string[]>;
  changes: ImportChange[];
  notices: RowError[];
};

type Source = Pick<NetboxSourceInput, 'groups' | 'tenants'>;
type Group = MemberContext['groups'][number];
type Owner = MemberContext['owners'][number];

/** Why a workload cannot become a member because of an object of NetBox; null: it can. */
function explainRefusal({ tenants }: Source, { object }: Placed, group: Group, owner: Owner): string | null {
  if (group.tenant_id === null) return null;
  if (object.tenant !== null) {
    const match = tenants.find(({ slug }) => slug === object.tenant?.slug);
    if (!match) return `the NetBox tenant ${object.tenant.name} has no match in the source`;
    if (match.tenant_id !== group.tenant_id) return `the NetBox tenant ${object.tenant.name} is not that of the group`;
  }
  if (owner.tenant_id !== group.tenant_id) return `${owner.name} belongs to another tenant or to none`;
  if (group.project_id !== null && owner.project_id !== group.project_id)
    return `${owner.name} belongs to another project or to none`;
  return null;
}

/** Which workloads become members of groups: those that hold an address with a tag that the source matches with the group. */
export function planMembers(
  placed: Iterable<Placed>,
  source: Source,
  context: ImportContext,
  { groups, members, owners }: MemberContext,
): MemberPlan {
  const plan: MemberPlan = { add: new Map(), changes: [], notices: [] };
  if (source.groups.length === 0) return plan;
  const key = (network: string, text: string) => {
    const ip = parseIp(text);
    return `${network} ${ip ? `${ip.family} ${ip.value}` : text}`;
  };
  // The workload of a stale address is the one that had it.
  const held = context.addresses.filter(({ state }) => state !== 'stale');
  const holders = new Map(held.map((row) => [key(row.network_id, row.address), row.workload_id]));
  const ownerOf = new Map(owners.map((one) => [one.id, one]));
  const groupOf = new Map(groups.map((one) => [one.id, one]));
  const taken = new Set(members.map((one) => `${one.security_group_id} ${one.workload_id}`));
  for (const one of placed) {
    const { object, place } = one;
    const owner = ownerOf.get(holders.get(key(place.network_id, object.name)) ?? '');
    if (!owner) continue;
    for (const { tag, security_group_id } of source.groups) {
      const group = groupOf.get(security_group_id);
      if (!group || !object.tags.includes(tag)) continue;
      const pair = `${group.id} ${owner.id}`;
      if (taken.has(pair)) continue;
      const refusal = explainRefusal(source, one, group, owner);
      if (refusal !== null) {
        const message = `${object.name}: not added to the group ${group.name}, because ${refusal}.`;
        plan.notices.push({ line: object.line, field: 'tags', message });
        continue;
      }
      taken.add(pair);
      plan.add.set(group.id, [...(plan.add.get(group.id) ?? []), owner.id]);
      plan.changes.push({
        line: object.line,
        object: 'member',
        action: 'create',
        name: owner.name,
        cluster_name: place.cluster,
        network_name: place.network,
        fields: [
          { field: 'group', old: null, new: group.name },
          { field: 'tag', old: null, new: tag },
        ],
      });
    }
  }
  return plan;
}
