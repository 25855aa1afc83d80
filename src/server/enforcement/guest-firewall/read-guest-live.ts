import { evaluateEnforcement } from '@/domain/firewall/enforcement';
import { computeProtection } from '@/domain/firewall/explain-protection';
import { effectiveOptions } from '@/domain/firewall/guest-options';
import type { LiveState } from '@/domain/firewall/live-state';
import { toLiveRuleView } from '@/domain/firewall/rule-view';
import { type ClusterSnapshot, type GuestSnapshot, listNodeNotes } from '@/domain/firewall/snapshot';
import type { GuestFirewall } from '@/domain/guest-firewall';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { GuestFilter } from '@/domain/policy/plan/guest-filter';
import type { Scope } from '../../auth/scope';
import { getMoment } from '../../lib/moment';
import { notFound } from '../../lib/refusals';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { toLiveState } from '../policies/firewall-state/views';
import type { InputWorkload } from '../queries/policy-inputs';
import { oldestReadAt, readShownGuest, type TimedGuest } from './live-reader';
import { ruleNamer } from './named-rules';
import { outsideFilters } from './outside-filters';
import { readGuestPast } from './read-guest-past';
import { redactSets } from './redact-state';

/** A guest read a moment ago, with the policies and inventory that belong to the moment. */
export type GuestLive = {
  readonly firewall: FirewallState;
  readonly workload: InputWorkload;
  readonly snapshot: TimedGuest;
  readonly cluster: ClusterSnapshot;
  readonly state: LiveState;
  /** Time of the oldest snapshot that the state is built from. */
  readonly read_at: string;
};

/**
 * Reads one visible guest now.
 * @throws AppError `not_found`, also for a workload not visible to the caller
 */
export async function readGuestLive(reach: Reach, workloadId: string): Promise<GuestLive> {
  const firewall = await readFirewallState();
  const workload = firewall.inputs.workloads.get(workloadId);
  if (!workload || !isWithinReach(workload, reach)) {
    throw notFound('workload');
  }
  const snapshots = await readShownGuest(workload);
  const snapshot = snapshots.guests.get(workloadId);
  if (!snapshot) throw new Error('expected a snapshot of each requested guest');
  const cluster = snapshots.cluster.state;
  return {
    firewall,
    workload,
    snapshot,
    cluster,
    state: toLiveState(workload, snapshot.state, cluster),
    read_at: oldestReadAt(snapshot, snapshots.cluster),
  };
}

/**
 * Everything that filters a guest's packets, read now (inside `readPast`: as of then): all rules in their order, managed ones with their policy,
 * options with their defaults, interfaces with whether they filter, and any other filters.
 * @param hosts evidence that clusters may be read; without it nothing about the node is returned
 * @throws AppError `not_found`
 */
export async function readGuestFirewall(
  scope: Scope<'workload:read'>,
  workloadId: string,
  hosts: Scope<'cluster:read'> | null = null,
): Promise<GuestFirewall> {
  const at = getMoment();
  const read =
    at === null
      ? { ...(await readGuestLive(scope.reach, workloadId)), past: null }
      : await readGuestPast(scope.reach, workloadId, at);
  const { firewall, workload, snapshot, cluster, state, read_at, past } = read;
  const { inputs } = firewall;
  const namer = ruleNamer(inputs, scope.reach, workload);
  const guest = snapshot.state;
  const referred = new Set((guest.rules ?? []).filter(({ type }) => type === 'group').map(({ action }) => action));
  const { groups } = cluster;
  return {
    workload_id: workload.id,
    vmid: workload.vmid,
    presence: guest.presence,
    read_at,
    past,
    cluster_firewall_enabled: cluster.firewall_enabled,
    options: guest.options && effectiveOptions(guest.options),
    stored_options: Object.keys(guest.options ?? {}).sort(),
    interfaces:
      guest.nics?.map((nic) => {
        const enforcement = evaluateEnforcement(state, nic);
        return {
          name: nic.name,
          mac: nic.mac,
          firewall: nic.firewall,
          pending: guest.pending_nics.includes(nic.name),
          status: enforcement.status,
          reasons: 'reasons' in enforcement ? [...enforcement.reasons] : [],
          protection: computeProtection(state, nic),
        };
      }) ?? null,
    rules: guest.rules?.map((rule) => namer.show(rule, workload.vmid)) ?? null,
    groups:
      groups &&
      [...referred].sort().map((name) => ({
        name,
        rules: (Object.hasOwn(groups, name) ? (groups[name] ?? []) : []).map((rule) =>
          toLiveRuleView(rule, inputs.instance, null),
        ),
      })),
    sets:
      guest.ipsets &&
      Object.entries(redactSets(guest.ipsets, guest.rules ?? [], namer, scope.tenants === 'all')).map(
        ([name, entries]) => ({
          name,
          entries: entries.map(({ cidr, nomatch }) => ({ cidr, nomatch: Boolean(nomatch) })),
        }),
      ),
    aliases: guest.aliases && Object.entries(guest.aliases).map(([name, cidr]) => ({ name, cidr })),
    outside: await outsideFilters(hosts, workload, cluster, {
      state,
      nics: guest.nics,
      instance: inputs.instance,
    }),
    unreadable: [...guest.unreadable, ...listNodeNotes(workload.node_name, cluster)],
  };
}

/** A snapshot as planning needs it: complete, or null. */
export function toGuestFilter({
  rules,
  options,
  ipsets,
  aliases,
  nics,
  pending_nics,
}: GuestSnapshot): GuestFilter | null {
  if (!rules || !options || !ipsets || !nics) return null;
  return {
    rules,
    options,
    sets: ipsets,
    ...(aliases && { aliases }),
    nics: nics.map(({ name, firewall, mac }) => ({
      name,
      firewall: firewall === true,
      editable: firewall !== null && mac !== null && !pending_nics.includes(name),
    })),
  };
}
