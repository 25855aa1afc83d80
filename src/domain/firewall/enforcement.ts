import { effectiveOptions } from './guest-options';
import type { LiveNic, LiveNode, LiveState } from './live-state';
import { possibleImplementations } from './node-options';
import { findRefusedGroup } from './refused-group';
import type { NotEnforcedReason, UnknownReason } from './verdict';

/** Whether the chain of an interface filters: yes, no with every reason, or not known with every reason. */
export type Enforcement =
  | { readonly status: 'on' }
  | { readonly status: 'off'; readonly reasons: readonly [NotEnforcedReason, ...NotEnforcedReason[]] }
  | { readonly status: 'unknown'; readonly reasons: readonly [UnknownReason, ...UnknownReason[]] };

/** Why the rules enforced on a node may differ from those that were read; null: nothing indicates that. */
export function compileDoubt(node: LiveNode | null): 'node_cannot_compile' | 'unknown_implementation' | null {
  if (node?.compile_failure) return 'node_cannot_compile';
  return node?.compile_unknown ? 'unknown_implementation' : null;
}

/** All three switches must be on: cluster, guest and interface. One that is certainly off settles it; an unread one leaves it open. */
export function evaluateEnforcement(state: LiveState, nic: LiveNic): Enforcement {
  const { firewall_enabled: cluster } = state.cluster;
  const guest = state.guest.options && effectiveOptions(state.guest.options).enable;
  // The previous rules are enforced, whatever the guest has stored: they may filter even with its firewall off now.
  const doubt = compileDoubt(state.node);
  if (doubt && cluster !== false && nic.firewall !== false) return { status: 'unknown', reasons: [doubt] };
  const off: NotEnforcedReason[] = [];
  if (cluster === false) off.push('cluster_firewall_off');
  if (guest === false) off.push('guest_firewall_off');
  if (nic.firewall === false) off.push('nic_flag_off');
  const [firstOff, ...moreOff] = off;
  if (firstOff) return { status: 'off', reasons: [firstOff, ...moreOff] };
  const unknown: UnknownReason[] = [];
  if (cluster === null) unknown.push('unknown_cluster_firewall');
  if (guest === null) unknown.push('unknown_guest_options');
  if (nic.firewall === null) unknown.push('unknown_nic_flag');
  const hasRefusedGroup = ([4, 6] as const).some((family) =>
    findRefusedGroup(state.guest, state.cluster, nic.name, family),
  );
  if (hasRefusedGroup && possibleImplementations(state.node).includes('iptables')) unknown.push('group_cannot_compile');
  const [firstUnknown, ...moreUnknown] = unknown;
  return firstUnknown ? { status: 'unknown', reasons: [firstUnknown, ...moreUnknown] } : { status: 'on' };
}
