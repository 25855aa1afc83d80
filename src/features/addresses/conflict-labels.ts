import type { ConflictKind, IpamConflict } from '@/domain/ipam/conflict';
import { lowerLabel, msg, type Translate } from '@/lib/i18n/translator';
import { ADDRESS_SOURCE_LABELS } from '../shared/ipam/address-state';

export type Resolution = NonNullable<IpamConflict['resolution']>;

export const CONFLICT_KIND_LABELS: Record<ConflictKind, string> = {
  duplicate_address: msg('Address used twice'),
  duplicate_mac: msg('MAC address used twice'),
  outside_subnet: msg('Outside its subnets'),
  reserved_in_use: msg('Reserved, but in use'),
};

export const CONFLICT_STATUS_LABELS: Record<IpamConflict['status'], string> = {
  open: msg('Open'),
  resolved: msg('Resolved'),
  gone: msg('Gone'),
};

export const RESOLUTION_LABELS: Record<Resolution, string> = {
  keep: msg('Kept'),
  assign: msg('Reassigned'),
  dismiss: msg('Dismissed'),
};

type Told = Pick<
  IpamConflict,
  'kind' | 'address' | 'mac' | 'network_name' | 'workload' | 'other_workload' | 'other_source' | 'other_interface_name'
>;

function sourceOf(t: Translate, source: string | null): string {
  if (source === null || !Object.hasOwn(ADDRESS_SOURCE_LABELS, source)) return 'none';
  return lowerLabel(t, t(ADDRESS_SOURCE_LABELS[source as keyof typeof ADDRESS_SOURCE_LABELS]));
}

/** What the sentences below take. A name may be any text, so a flag beside it says whether there is one. */
function valuesOf(t: Translate, conflict: Told) {
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
    told: sourceOf(t, conflict.other_source),
  };
}

/** What contradicts what, in one sentence. */
export function conflictText(t: Translate, conflict: Told): string {
  const values = valuesOf(t, conflict);
  switch (conflict.kind) {
    case 'duplicate_address':
      return t(
        '{address} belongs to {has_holder, select, true {{holder}} other {nobody}}, but {has_other, select, true {{other}} other {another workload}} uses it as well{told, select, none {} other {, as told by {told}}}.',
        values,
      );
    case 'duplicate_mac':
      return t(
        '{has_holder, select, true {{holder}} other {A workload}} and {has_other, select, true {{other}} other {another workload}} have cards with the MAC address {mac}.',
        values,
      );
    case 'outside_subnet':
      return t(
        '{has_user, select, true {{user}} other {A workload}} uses {address}, which lies in no prefix of {has_network, select, true {{network}} other {its network}}{told, select, none {} other {, as told by {told}}}.',
        values,
      );
    case 'reserved_in_use':
      return t(
        '{address} is reserved{has_holder, select, true { for {holder}} other {}}, but {has_other, select, true {{other}} other {another workload}} uses it{told, select, none {} other {, as told by {told}}}.',
        values,
      );
  }
}

/** What a decision is called on its button, and what follows from it. */
export function resolutionChoice(
  t: Translate,
  resolution: Resolution,
  conflict: Told,
): { label: string; consequence: string } {
  const values = valuesOf(t, conflict);
  if (resolution === 'assign') {
    return {
      label: t('Assign it to {has_other, select, true {{other}} other {the other workload}}', values),
      consequence: t(
        '{address} belongs to {has_other, select, true {{other}} other {the other workload}} from now on{has_holder, select, true {; {holder} loses it here} other {}}. Labels of flows and rules that name the workload follow.',
        values,
      ),
    };
  }
  if (resolution === 'keep') {
    return conflict.kind === 'outside_subnet'
      ? {
          label: t('Keep it where it is'),
          consequence: t(
            'The address stays in the subnet in which it is stored. Add a prefix around it if the network has grown.',
          ),
        }
      : {
          label: values.has_holder ? t('Keep it with {holder}', values) : t('Keep the reservation'),
          consequence: t(
            'Nothing changes here. {has_other, select, true {{other}} other {the other workload}} still uses the address: change it in the guest, or both lose packets.',
            values,
          ),
        };
  }
  const { label, consequence } = DISMISSALS[conflict.kind];
  return { label: t(label), consequence: t(consequence) };
}

const DISMISSALS: Record<ConflictKind, { label: string; consequence: string }> = {
  duplicate_address: {
    label: msg('Dismiss: both are right'),
    consequence: msg(
      'Right for addresses that move, such as those of a failover pair. Discoveries do not report it again as long as the same facts are seen.',
    ),
  },
  duplicate_mac: {
    label: msg('Dismiss: both are right'),
    consequence: msg('Right for cards on separate networks. Discoveries do not report this pair again.'),
  },
  outside_subnet: {
    label: msg('Dismiss: the guest is right'),
    consequence: msg('Right for addresses that are routed to the guest. Discoveries do not report it again.'),
  },
  reserved_in_use: {
    label: msg('Dismiss: leave both as they are'),
    consequence: msg('The reservation stays and so does its user. Discoveries do not report this pair again.'),
  },
};
