import { frontSteps } from '@/domain/firewall/front-steps';
import { hostOptions, hostSwitch } from '@/domain/firewall/host-options';
import { hostRuleStatus } from '@/domain/firewall/host-rule-status';
import type { LiveNic, LiveNode, LiveState } from '@/domain/firewall/live-state';
import { possibleImplementations } from '@/domain/firewall/node-options';
import { toLiveRuleView } from '@/domain/firewall/rule-view';
import type { ClusterSnapshot } from '@/domain/firewall/snapshot';
import type { OutsideFilters } from '@/domain/guest-firewall';
import type { Scope } from '../../auth/scope';
import { db } from '../../db/client';
import { listClusterNodes, listClusterVnets } from '../queries/firewall-snapshots';
import type { InputWorkload } from '../queries/policy-inputs';

type Vnet = NonNullable<NonNullable<OutsideFilters['details']>['vnets']>[number];

/** True when one is, else null when one is not known. */
const any = (values: readonly (boolean | null)[]): boolean | null =>
  values.includes(true) ? true : values.includes(null) ? null : false;

/** True when all are, else false when one is known not to be. */
const all = (values: readonly (boolean | null)[]): boolean | null =>
  values.includes(false) ? false : values.includes(null) ? null : true;

function vnetView(
  cluster: ClusterSnapshot,
  node: LiveNode | null,
  instance: string,
  on: Pick<Vnet, 'network_id' | 'name' | 'interfaces'>,
): Vnet {
  const { vnets } = cluster;
  const vnet = vnets && Object.hasOwn(vnets, on.name) ? vnets[on.name] : undefined;
  const implementations = possibleImplementations(node);
  const nftables = implementations.includes('nftables') ? (implementations.length > 1 ? null : true) : false;
  const place = { scope: 'vnet' as const, cluster, nodes: [node], vnet };
  const policy = hostOptions('vnet', vnet?.options ?? null).find(({ name }) => name === 'policy_forward')?.value;
  return {
    ...on,
    filters: all([cluster.firewall_enabled, nftables, hostSwitch('vnet', vnet?.options ?? null)]),
    policy_forward: typeof policy === 'string' ? policy : null,
    rules:
      vnet?.rules?.map((rule) => {
        const { status, reason } = hostRuleStatus(place, rule);
        return { ...toLiveRuleView(rule, instance, null), status, status_reason: reason };
      }) ?? null,
  };
}

/** Interfaces by the VNet they are on; null: not known for all of them. */
function groupNicsByVnet({ vnets }: ClusterSnapshot, nics: readonly LiveNic[] | null): Map<string, string[]> | null {
  if (!vnets || !nics || nics.some(({ bridge }) => bridge === undefined)) return null;
  const found = new Map<string, string[]>();
  for (const { name, bridge = '' } of nics) {
    if (Object.hasOwn(vnets, bridge)) found.set(bridge, [...(found.get(bridge) ?? []), name]);
  }
  return found;
}

/**
 * What filters a guest's packets besides its own firewall. Those who may not read clusters learn only whether anything does.
 * @param hosts evidence that clusters may be read
 */
export async function outsideFilters(
  hosts: Scope<'cluster:read'> | null,
  workload: InputWorkload,
  cluster: ClusterSnapshot,
  { state, nics, instance }: { state: LiveState; nics: readonly LiveNic[] | null; instance: string },
): Promise<OutsideFilters> {
  const { node } = state;
  const steps = frontSteps(state, nics);
  const names = groupNicsByVnet(cluster, nics);
  const known = hosts && names?.size ? await listClusterVnets(db, workload.cluster_id) : [];
  const vnets =
    names &&
    [...names].map(([name, interfaces]) => {
      const network_id = known.find((network) => network.name === name)?.id ?? null;
      return vnetView(cluster, node, instance, { network_id, name, interfaces });
    });
  const drops = steps.filter(({ action }) => action === 'drop');
  const filters = any([
    ...drops.map(({ state }) => (state === 'unknown' ? null : state === 'on')),
    ...(vnets?.map((vnet) => vnet.filters) ?? [null]),
  ]);
  if (!hosts) return { filters, details: null };
  const nodes = await listClusterNodes(db, workload.cluster_id);
  const row = nodes.find(({ name }) => name === workload.node_name);
  const [implementation, other] = possibleImplementations(node);
  return {
    filters,
    details: {
      node: row ? { node_id: row.id, name: row.name } : null,
      implementation: other === undefined ? implementation : null,
      steps,
      vnets,
    },
  };
}
