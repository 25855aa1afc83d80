import type { ConflictKind, IpamConflict } from '@/domain/ipam/conflict';
import { ADDRESS_SOURCE_WORDS } from '../shared/ipam/address-state';

export type Resolution = NonNullable<IpamConflict['resolution']>;

export const CONFLICT_KIND_WORDS: Record<ConflictKind, string> = {
  duplicate_address: 'Address used twice',
  duplicate_mac: 'MAC address used twice',
  outside_subnet: 'Outside its subnets',
  reserved_in_use: 'Reserved, but in use',
};

export const CONFLICT_STATUS_WORDS: Record<IpamConflict['status'], string> = {
  open: 'Open',
  resolved: 'Resolved',
  gone: 'Gone',
};

export const RESOLUTION_WORDS: Record<Resolution, string> = {
  keep: 'Kept',
  assign: 'Reassigned',
  dismiss: 'Dismissed',
};

type Told = Pick<
  IpamConflict,
  'kind' | 'address' | 'mac' | 'network_name' | 'workload' | 'other_workload' | 'other_source' | 'other_interface_name'
>;

const nameOf = (party: IpamConflict['workload']) => party?.name ?? null;

function sourceOf(source: string | null): string {
  if (source === null || !Object.hasOwn(ADDRESS_SOURCE_WORDS, source)) return '';
  return `, as told by ${ADDRESS_SOURCE_WORDS[source as keyof typeof ADDRESS_SOURCE_WORDS].toLowerCase()}`;
}

/** What contradicts what, in one sentence. */
export function conflictText(conflict: Told): string {
  const holder = nameOf(conflict.workload);
  const other = nameOf(conflict.other_workload) ?? 'another workload';
  const told = sourceOf(conflict.other_source);
  switch (conflict.kind) {
    case 'duplicate_address':
      return `${conflict.address} belongs to ${holder ?? 'nobody'}, but ${other} uses it as well${told}.`;
    case 'duplicate_mac':
      return `${holder ?? 'A workload'} and ${other} have cards with the MAC address ${conflict.mac}.`;
    case 'outside_subnet':
      return `${nameOf(conflict.other_workload) ?? holder ?? 'A workload'} uses ${conflict.address}, which lies in no prefix of ${conflict.network_name ?? 'its network'}${told}.`;
    case 'reserved_in_use':
      return `${conflict.address} is reserved${holder ? ` for ${holder}` : ''}, but ${other} uses it${told}.`;
  }
}

/** What a decision is called on its button, and what follows from it. */
export function resolutionChoice(resolution: Resolution, conflict: Told): { label: string; consequence: string } {
  const holder = nameOf(conflict.workload);
  const other = nameOf(conflict.other_workload) ?? 'the other workload';
  if (resolution === 'assign') {
    return {
      label: `Assign it to ${other}`,
      consequence: `${conflict.address} belongs to ${other} from now on${holder ? `; ${holder} loses it here` : ''}. Labels of flows and rules that name the workload follow.`,
    };
  }
  if (resolution === 'keep') {
    return conflict.kind === 'outside_subnet'
      ? {
          label: 'Keep it where it is',
          consequence:
            'The address stays in the subnet in which it is stored. Add a prefix around it if the network has grown.',
        }
      : {
          label: holder ? `Keep it with ${holder}` : 'Keep the reservation',
          consequence: `Nothing changes here. ${other} still uses the address: change it in the guest, or both lose packets.`,
        };
  }
  return DISMISSALS[conflict.kind];
}

const DISMISSALS: Record<ConflictKind, { label: string; consequence: string }> = {
  duplicate_address: {
    label: 'Dismiss: both are right',
    consequence:
      'Right for addresses that move, such as those of a failover pair. Discoveries do not report it again as long as the same facts are seen.',
  },
  duplicate_mac: {
    label: 'Dismiss: both are right',
    consequence: 'Right for cards on separate networks. Discoveries do not report this pair again.',
  },
  outside_subnet: {
    label: 'Dismiss: the guest is right',
    consequence: 'Right for addresses that are routed to the guest. Discoveries do not report it again.',
  },
  reserved_in_use: {
    label: 'Dismiss: leave both as they are',
    consequence: 'The reservation stays and so does its user. Discoveries do not report this pair again.',
  },
};
