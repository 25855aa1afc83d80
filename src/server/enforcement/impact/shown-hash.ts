import { isWithinReach, type Reach } from '@/domain/permissions';
import { ruleNamer } from '../guest-firewall/named-rules';
import { redactSets } from '../guest-firewall/redact-state';
import type { Readable } from '../policies/planned-change';
import type { InputWorkload } from '../queries/policy-inputs';
import { stateHash } from './hashes';
import { liveHash } from './live-hash';
import type { PlannedImpact } from './plan-impact';

/** What a reader may see of what was read of a workload: the guest, and of its cluster what visible rules refer to. */
function getVisibleState({ inputs, snapshots }: Readable, reach: Reach, workload: InputWorkload) {
  const guest = snapshots.guests.get(workload.id)?.state;
  if (!guest) return null;
  const namer = ruleNamer(inputs, reach, workload);
  const { rules, ipsets, options, aliases, nics, presence } = guest;
  const shown = rules?.map(namer.withholdLive) ?? null;
  const cluster = snapshots.clusters.get(workload.cluster_id)?.state;
  const named = (shown ?? []).flatMap(({ type, action, source, dest }) => [type === 'group' && action, source, dest]);
  const text = named.filter(Boolean).join(' ').toLowerCase();
  const referred = (objects: object | null | undefined) =>
    objects && Object.entries(objects).filter(([name]) => text.includes(name.toLowerCase()));
  return {
    ...{ rules: shown, options, aliases, nics, presence },
    ipsets: ipsets && redactSets(ipsets, rules ?? [], namer, reach === 'all'),
    cluster: cluster && [cluster.firewall_enabled, ...[cluster.groups, cluster.ipsets, cluster.aliases].map(referred)],
    place: [workload.node_name, workload.nftables, workload.tenant_id, workload.project_id],
    addresses: [...workload.addresses].sort(),
  };
}

/**
 * The part of `liveHash` that the reader may see. What is hidden may change what packets do as well, which only computing again
 * shows: an impact must not become outdated before the eyes of a reader who may not know that there was a change.
 */
export function hashVisibleState(plan: PlannedImpact, reach: Reach): string {
  if (reach === 'all') return liveHash(plan);
  const { found } = plan;
  const shown = plan.workload_ids.flatMap((id) => {
    const workload = found.before.inputs.workloads.get(id);
    if (!workload || !isWithinReach(workload, reach)) return [];
    const states = [found.before, found.after].map((state) => getVisibleState(state, reach, workload));
    return [[id, ...states, found.unreadable.has(id)] as const];
  });
  return stateHash(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
}
