import { enforcementOf } from '@/domain/firewall/enforcement';
import { effectiveOptions } from '@/domain/firewall/guest-options';
import { protectionOf } from '@/domain/firewall/protection-of';
import { viewOfLiveRule } from '@/domain/firewall/rule-view';
import { notesForGuestsOn } from '@/domain/firewall/snapshot';
import type { GuestFirewall } from '@/domain/guest-firewall';
import type { Scope } from '../../auth/scope';
import { ruleNamer } from './named-rules';
import { outsideFilters } from './outside-filters';
import { readGuestLive } from './read-guest-live';
import { openSets } from './withhold-state';

/**
 * Everything that filters a guest's packets, read now: all rules in their order, ours named, options with their defaults,
 * interfaces with whether they filter, and what filters besides.
 * @param hosts evidence that clusters may be read; without it nothing about the node is told
 * @throws AppError `not_found`
 */
export async function readGuestFirewall(
  scope: Scope<'workload:read'>,
  workloadId: string,
  hosts: Scope<'cluster:read'> | null = null,
): Promise<GuestFirewall> {
  const { board, workload, reading, cluster, state, read_at } = await readGuestLive(scope.reach, workloadId);
  const { world } = board;
  const namer = ruleNamer(world, scope.reach, workload);
  const guest = reading.state;
  const referred = new Set((guest.rules ?? []).filter(({ type }) => type === 'group').map(({ action }) => action));
  const { groups } = cluster;
  return {
    workload_id: workload.id,
    vmid: workload.vmid,
    presence: guest.presence,
    read_at,
    cluster_firewall_enabled: cluster.firewall_enabled,
    options: guest.options && effectiveOptions(guest.options),
    stored_options: Object.keys(guest.options ?? {}).sort(),
    interfaces:
      guest.nics?.map((nic) => {
        const enforcement = enforcementOf(state, nic);
        return {
          name: nic.name,
          mac: nic.mac,
          firewall: nic.firewall,
          pending: guest.pending_nics.includes(nic.name),
          status: enforcement.status,
          reasons: 'reasons' in enforcement ? [...enforcement.reasons] : [],
          protection: protectionOf(state, nic),
        };
      }) ?? null,
    rules: guest.rules?.map((rule) => namer.show(rule, workload.vmid)) ?? null,
    groups:
      groups &&
      [...referred].sort().map((name) => ({
        name,
        rules: (Object.hasOwn(groups, name) ? (groups[name] ?? []) : []).map((rule) =>
          viewOfLiveRule(rule, world.instance, null),
        ),
      })),
    sets:
      guest.ipsets &&
      Object.entries(openSets(guest.ipsets, guest.rules ?? [], namer, scope.tenants === 'all')).map(
        ([name, entries]) => ({
          name,
          entries: entries.map(({ cidr, nomatch }) => ({ cidr, nomatch: Boolean(nomatch) })),
        }),
      ),
    aliases: guest.aliases && Object.entries(guest.aliases).map(([name, cidr]) => ({ name, cidr })),
    outside: await outsideFilters(hosts, workload, cluster, {
      state,
      nics: guest.nics,
      instance: world.instance,
    }),
    unreadable: [...guest.unreadable, ...notesForGuestsOn(workload.node_name, cluster)],
  };
}
