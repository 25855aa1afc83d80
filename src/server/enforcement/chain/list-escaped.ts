import { DAY_MS } from '@/domain/durations';
import {
  type EscapedConversation,
  type EscapedListInput,
  type EscapedPage,
  getEscapeFix,
} from '@/domain/enforcement-chain/escaped';
import { FIXES } from '@/domain/enforcement-chain/link-details';
import { findServiceName } from '@/domain/firewall/data/services';
import { isWithinReach, type Reach } from '@/domain/permissions';
import type { Scope } from '../../auth/scope';
import { clock } from '../../lib/clock';
import { narrowToTenant } from '../../tenancy/choose-owner';
import { ruleNamer } from '../guest-firewall/named-rules';
import type { FirewallState } from '../policies/firewall-state/firewall-state';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import { listEscaped, type StoredEscape } from '../queries/escaped';

/** Names the other end and the policy as far as the reader may see them, and what to do. */
function describeEscape(
  { inputs }: FirewallState,
  stored: StoredEscape,
  { flows, rules }: { flows: Reach; rules: Reach | null },
): EscapedConversation {
  const { broken_detail, policy_id, peer_workload_id, denied_by, ...shown } = stored;
  const { workload_id, direction, client_ip, server_ip, server_port, protocol, reason } = shown;
  const workload = inputs.workloads.get(workload_id);
  const peer = peer_workload_id === null ? undefined : inputs.workloads.get(peer_workload_id);
  const fix = getEscapeFix(reason, broken_detail);
  const name = rules && workload && policy_id !== null ? ruleNamer(inputs, rules, workload).nameOf(policy_id) : null;
  return {
    ...shown,
    service_name: server_port === null ? null : findServiceName(protocol, server_port),
    peer: {
      ip: direction === 'in' ? client_ip : server_ip,
      workload: peer && isWithinReach(peer, flows) ? { id: peer.id, name: peer.name } : null,
    },
    remedy: fix && { action: fix, text: FIXES[fix] },
    denied_by: rules && denied_by,
    policy: policy_id !== null && name !== null ? { id: policy_id, name } : null,
  };
}

/**
 * Conversations of visible workloads that passed although their rules deny them, the last seen first.
 * @param rules evidence that rules may be seen; without it what denies them is not shown
 * @throws AppError `not_found` for a tenant not visible to the caller
 */
export async function listEscapedConversations(
  scope: Scope<'flow:read'>,
  input: EscapedListInput,
  rules: Scope<'workload:read'> | null,
): Promise<EscapedPage> {
  const { reach } = await narrowToTenant(scope, input.tenant_id);
  const since = new Date(clock.now().getTime() - input.days * DAY_MS).toISOString();
  const { items, ...page } = await listEscaped(reach, { ...input, since });
  if (items.length === 0) return { items: [], ...page };
  const firewall = await readFirewallState();
  const seen = { flows: reach, rules: rules?.reach ?? null };
  return { ...page, items: items.map((stored) => describeEscape(firewall, stored, seen)) };
}
