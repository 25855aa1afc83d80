import type { AddressPolicies } from '@/domain/ipam/address-policies';
import { parseIp } from '@/domain/net/ip-address';
import { comparePolicies } from '@/domain/policy/order';
import { touchesOf } from '@/domain/policy/touches';
import { findIpAddressDetail } from '../../addresses/queries/ip-addresses';
import type { Scope } from '../../auth/scope';
import { notFound } from '../../lib/refusals';
import { readBoard } from './board/read-board';
import { isDeployed } from './world/load-policy-world';

/**
 * The policies with an endpoint that stands for an address, disabled ones and those in audit mode too. No cluster is asked.
 * @throws AppError `not_found`
 */
export async function listAddressPolicies(scope: Scope<'policy:read'>, id: string): Promise<AddressPolicies> {
  const { tenants } = scope;
  const found = await findIpAddressDetail(tenants, id);
  const address = found && parseIp(found.address);
  if (!found || !address) throw notFound('address');
  const board = await readBoard();
  const subject = { address, workload_id: found.workload?.id ?? null };
  const touching = board.world.policies.flatMap((policy) => {
    const touches = touchesOf(policy, subject, board.world.index);
    return touches.length > 0 ? [{ policy, touches }] : [];
  });
  const isVisible = ({ policy: { tenant_id } }: (typeof touching)[number]) =>
    tenants === 'all' || (tenant_id !== null && tenants.includes(tenant_id));
  const visible = touching.filter(isVisible);
  // That the installation's policies filter the address is told, if not how; those of other tenants do not exist.
  const hidden = touching.filter((one) => !isVisible(one) && one.policy.tenant_id === null);
  const isNamed = ({ policy }: (typeof touching)[number]) =>
    policy.tenant_visibility !== 'hidden' &&
    isDeployed(policy) &&
    board.wantedAt(subject.workload_id ?? '')?.rules.some(({ policy_id }) => policy_id === policy.id) === true;
  const platform = hidden
    .filter(isNamed)
    .map(({ policy }) => policy)
    .sort(comparePolicies)
    .map(({ name, tier }) => ({ name, tier }));
  const policies = visible.map(({ policy, touches }) => ({
    policy_id: policy.id,
    name: policy.name,
    enabled: policy.enabled,
    enforcement_mode: policy.definition.enforcement_mode,
    deployment_status: board.standingOf(policy).status,
    touches,
  }));
  const byAnyOnly = ({ touches }: (typeof policies)[number]) => Number(touches.every(({ by }) => by === 'any'));
  policies.sort((a, b) => byAnyOnly(a) - byAnyOnly(b) || a.name.localeCompare(b.name, 'en'));
  return { policies, platform, hidden: hidden.length - platform.length };
}
