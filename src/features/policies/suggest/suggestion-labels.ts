import type { LeftOutReason } from '@/domain/suggestion/observed';
import type { AddressWidth } from '@/domain/suggestion/prefixes';
import type { SuggestedGroup, SuggestedPolicy } from '@/domain/suggestion/suggestion';
import { msg } from '@/lib/i18n/translator';

/** Why conversations have no rule, and what to do about it. */
export const LEFT_OUT_LABELS: Readonly<Record<LeftOutReason, { readonly label: string; readonly hint: string }>> = {
  blocked: { label: msg('Blocked'), hint: msg('The firewall dropped or rejected them.') },
  scan: { label: msg('Scan'), hint: msg('One client tried many services, and most did not answer.') },
  suspicious: {
    label: msg('Suspicious'),
    hint: msg('From outside to a sensitive port. Write a rule yourself if it is meant.'),
  },
  unanswered: { label: msg('Unanswered'), hint: msg('The server sent nothing.') },
  multicast: { label: msg('Multicast'), hint: msg('Multicast and broadcast have no single server.') },
  local: { label: msg('Local'), hint: msg('DHCP and link-local traffic. Firewall options allow it.') },
  no_service: { label: msg('No service port'), hint: msg('Neither port is known to be that of a service.') },
  dynamic_ports: { label: msg('Dynamic ports'), hint: msg('Opened for single conversations, as by FTP or RPC.') },
  protocol: { label: msg('Protocol'), hint: msg('Rules do not know this protocol.') },
  other_address: {
    label: msg('Other address'),
    hint: msg('The workload used an address that is not known as its own.'),
  },
  unresolved: { label: msg('Unresolved'), hint: msg('No endpoint resolves to the workload.') },
  too_many: {
    label: msg('Too many'),
    hint: msg('Rare conversations beyond what a suggestion holds. Choose a smaller scope.'),
  },
  held_out: { label: msg('Only held out'), hint: msg('Seen only in the held-out part. The draft would block them.') },
};

export const WIDTH_LABELS: Readonly<Record<AddressWidth, string>> = {
  addresses: msg('Single addresses'),
  networks: msg('Networks (/24, /64)'),
  wide: msg('Wide networks (/16, /32)'),
  anywhere: msg('Anywhere'),
};

export const POLICY_KIND_LABELS: Readonly<Record<SuggestedPolicy['kind'], string>> = {
  traffic: msg('Between groups'),
  infrastructure: msg('Infrastructure'),
  outside: msg('Addresses'),
  close: msg('Drops the rest'),
};

export const GROUP_KIND_LABELS: Readonly<Record<SuggestedGroup['kind'], string>> = {
  new: msg('New group'),
  known: msg('Existing group'),
  workload: msg('Single workload'),
};
