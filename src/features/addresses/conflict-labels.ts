import type { ConflictKind, IpamConflict } from '@/domain/ipam/conflict';
import { lowerLabel, msg, type Translate } from '@/lib/i18n/translator';
import { findSourceLabel } from '../shared/ipam/address-state';

export type Resolution = NonNullable<IpamConflict['resolution']>;

export const CONFLICT_KIND_LABELS: Record<ConflictKind, string> = {
  duplicate_address: msg('Duplicate address'),
  duplicate_mac: msg('Duplicate MAC address'),
  outside_subnet: msg("Outside its network's prefixes"),
  reserved_in_use: msg('Reserved, but in use'),
  moved_address: msg('Moved address'),
  spoofed_address: msg('Spoofed address'),
  stale_address: msg('Stale address'),
  unmanaged_address: msg('Unmanaged address'),
};

export const CONFLICT_STATUS_LABELS: Record<IpamConflict['status'], string> = {
  open: msg('Open'),
  resolved: msg('Resolved'),
  gone: msg('No longer detected'),
};

export const RESOLUTION_LABELS: Record<Resolution, string> = {
  keep: msg('Kept'),
  assign: msg('Reassigned'),
  dismiss: msg('Dismissed'),
};

type ConflictValues = Pick<
  IpamConflict,
  | 'kind'
  | 'address'
  | 'mac'
  | 'network_name'
  | 'workload'
  | 'other_workload'
  | 'other_source'
  | 'other_interface_name'
  | 'reason'
>;

function formatSource(t: Translate, source: string | null): string {
  const label = source === null ? null : findSourceLabel(source);
  return label === null ? 'none' : lowerLabel(t, t(label));
}

/** What the sentences below take. A name may be any text, so a flag beside it says whether there is one. */
function toMessageValues(t: Translate, conflict: ConflictValues) {
  const holder = conflict.workload?.name ?? null;
  const other = conflict.other_workload?.name ?? null;
  return {
    address: conflict.address,
    mac: conflict.mac,
    holder,
    has_holder: holder !== null,
    other,
    has_other: other !== null,
    user: other ?? holder,
    has_user: other !== null || holder !== null,
    network: conflict.network_name,
    has_network: conflict.network_name !== null,
    reported: formatSource(t, conflict.other_source),
    interface: conflict.other_interface_name,
    reason: conflict.reason ?? 'held',
  };
}

/** What contradicts what, in one sentence. */
export function conflictText(t: Translate, conflict: ConflictValues): string {
  const values = toMessageValues(t, conflict);
  switch (conflict.kind) {
    case 'duplicate_address':
      return t(
        '{address} is {has_holder, select, true {assigned to {holder}} other {unassigned}}, but {has_other, select, true {{other}} other {another workload}} also uses the address{reported, select, none {} other { (source: {reported})}}.',
        values,
      );
    case 'duplicate_mac':
      return t(
        '{has_holder, select, true {{holder}} other {A workload}} and {has_other, select, true {{other}} other {another workload}} have interfaces with the same MAC address {mac}.',
        values,
      );
    case 'outside_subnet':
      return t(
        '{has_user, select, true {{user}} other {A workload}} uses {address}, which is in no prefix of {has_network, select, true {{network}} other {its network}}{reported, select, none {} other { (source: {reported})}}.',
        values,
      );
    case 'reserved_in_use':
      return t(
        '{address} is reserved{has_holder, select, true { for {holder}} other {}}, but {has_other, select, true {{other}} other {another workload}} uses it{reported, select, none {} other { (source: {reported})}}.',
        values,
      );
    case 'moved_address':
      return t(
        '{address} moved from {has_holder, select, true {{holder}} other {another workload}} to {has_other, select, true {{other}} other {another workload}}{reported, select, none {} other { (source: {reported})}}.',
        values,
      );
    case 'spoofed_address':
      return t(
        '{has_other, select, true {{other}} other {Another workload}} sends packets from {address}, {reason, select, ip_filter {which the IP filter of its interface does not allow} other {which belongs to {has_holder, select, true {{holder}} other {another workload}}}}.',
        values,
      );
    case 'stale_address':
      return t(
        '{address} is assigned to {has_holder, select, true {{holder}} other {a workload}}, which is running, but no source has seen the address for a week.',
        values,
      );
    case 'unmanaged_address':
      return t(
        '{has_other, select, true {{other}} other {A workload}} uses {address}, which is not registered{reported, select, none {} other { (source: {reported})}}.',
        values,
      );
  }
}

/** What a decision is called on its button, and what follows from it. */
export function resolutionChoice(
  t: Translate,
  resolution: Resolution,
  conflict: ConflictValues,
): { label: string; consequence: string } {
  const values = toMessageValues(t, conflict);
  if (resolution === 'assign') {
    return {
      label: t('Assign to {has_other, select, true {{other}} other {the other workload}}', values),
      consequence: t(
        '{address} will be assigned to {has_other, select, true {{other}} other {the other workload}}{has_holder, select, true { and unassigned from {holder} in Fabric} other {}}. Flow labels, and rules that name the workload, follow.',
        values,
      ),
    };
  }
  if (resolution === 'keep') {
    return conflict.kind === 'outside_subnet'
      ? {
          label: t('Keep in current prefix'),
          consequence: t(
            'The address stays in its current prefix. If the network has grown, add a prefix that contains the address.',
          ),
        }
      : {
          label: values.has_holder ? t('Keep assigned to {holder}', values) : t('Keep reservation'),
          consequence: t(
            'Nothing changes in Fabric. {has_other, select, true {{other}} other {The other workload}} still uses the address. Change the address inside that workload, or both will lose packets.',
            values,
          ),
        };
  }
  const { label, consequence } = DISMISSALS[conflict.kind];
  return { label: t(label), consequence: t(consequence) };
}

const DISMISSALS: Record<ConflictKind, { label: string; consequence: string }> = {
  duplicate_address: {
    label: msg('Dismiss: both are correct'),
    consequence: msg(
      'For addresses that move, such as those of a failover pair. Discovery does not report this conflict again while its findings stay the same.',
    ),
  },
  duplicate_mac: {
    label: msg('Dismiss: both are correct'),
    consequence: msg('For interfaces on separate networks. Discovery does not report this pair again.'),
  },
  outside_subnet: {
    label: msg('Dismiss: the workload is correct'),
    consequence: msg('For addresses routed to the workload. Discovery does not report this conflict again.'),
  },
  reserved_in_use: {
    label: msg('Dismiss: keep both'),
    consequence: msg(
      'The reservation and the workload using the address stay unchanged. Discovery does not report this pair again.',
    ),
  },
  moved_address: {
    label: msg('Dismiss: the move is correct'),
    consequence: msg('For addresses that were moved on purpose. The same move is not reported again.'),
  },
  spoofed_address: {
    label: msg('Dismiss: the workload may use it'),
    consequence: msg('For failover pairs and proxies. Not reported again while the workload sends from the address.'),
  },
  stale_address: {
    label: msg('Dismiss: keep the address'),
    consequence: msg('For addresses that are rarely used. Not reported again until the address is seen.'),
  },
  unmanaged_address: {
    label: msg('Dismiss: leave unregistered'),
    consequence: msg('Add the address to its prefix to register it. Not reported again while it is in use.'),
  },
};
