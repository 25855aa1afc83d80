import type { Policy } from '@/domain/policies';
import { TENANT_VISIBILITIES, type TenantVisibility } from '@/domain/policy/tier';
import { sqlClient } from '@/server/db/client';
import { runDeployment } from '@/server/enforcement/deployments/run-deployment';
import { observeCluster } from '@/server/enforcement/guest-firewall/observe';
import { bearer, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { THEIR_MARK, type TwoTenants } from './two-tenants.fixture';

type Platform = { user: Awaited<ReturnType<typeof makeUser>>; policies: Record<TenantVisibility, Policy> };
let platform: Platform | null = null;

async function send(path: string, body: object, method = 'POST'): Promise<Policy> {
  if (!platform) throw new Error('the platform has no policies yet');
  const answer = await call(path, { method, headers: await bearer(platform.user), body });
  const text = await answer.text();
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

async function apply(policy: Policy): Promise<void> {
  // The tests of tenants fail by design: what they deny is allowed.
  await send(`/policies/${policy.id}/apply`, { override_tests: { reason: `${THEIR_MARK}-override` } });
  const rows = await sqlClient()<{ id: string }[]>`
    select id from deployments where policy_id = ${policy.id} and status = 'queued'`;
  for (const { id } of rows) await runDeployment(id, { signal: new AbortController().signal });
}

const makeMarkedRules = (ends: readonly string[]) =>
  ends.map((port) => ({
    action: 'drop',
    protocol: 'tcp',
    destination_ports: [port],
    comment: `${THEIR_MARK}-rule-${port}`,
  }));

/** More addresses than fit into a rule, so that it refers to a set. */
const makeSparseAddresses = (third: number) => Array.from({ length: 120 }, (_, i) => `198.18.${third}.${i * 2}`);

const getBaselineName = (visibility: TenantVisibility) =>
  visibility === 'hidden' ? `${THEIR_MARK}-platform` : `baseline, ${visibility}`;

/** Reads all guests, as workers do. */
export const observe = (tenants: TwoTenants): Promise<void> =>
  observeCluster(tenants.lab.cluster.id, new AbortController().signal);

/** A platform policy of each visibility, enforced on one of our guests. Parts hidden from us carry the mark. */
export async function addPlatformPolicies(tenants: TwoTenants): Promise<void> {
  const user = await makeUser('super_admin');
  platform = { user, policies: {} as Platform['policies'] };
  for (const visibility of TENANT_VISIBILITIES) {
    const open = visibility === 'rules';
    platform.policies[visibility] = await send('/policies', {
      name: getBaselineName(visibility),
      description: `${THEIR_MARK}-text`,
      tier: visibility === 'name' ? 'platform_last' : 'platform_first',
      tenant_visibility: visibility,
      definition: {
        enforcement_mode: 'enforced',
        sources: open ? ['198.18.0.1'] : makeSparseAddresses(1),
        targets: ['vmid:100'],
      },
      rules: open
        ? [{ action: 'drop', protocol: 'tcp', destination_ports: ['23'] }]
        : makeMarkedRules(['7001', '7002']),
    });
    await apply(platform.policies[visibility]);
  }
  void tenants;
}

/**
 * Keeps the number of rules and their verdicts, matching no address we know; changes everything our tenant may not
 * see.
 */
export async function changePlatformPolicies(): Promise<void> {
  for (const visibility of ['hidden', 'name'] as const) {
    const policy = platform?.policies[visibility];
    if (!policy) throw new Error('the platform has no policies yet');
    const changed = await send(
      `/policies/${policy.id}`,
      {
        ...(visibility === 'hidden' && { name: `${THEIR_MARK}-platform-renamed` }),
        description: `${THEIR_MARK}-other-text`,
        priority: policy.priority - 1,
        definition: { ...policy.definition, sources: makeSparseAddresses(2) },
        rules: makeMarkedRules(['7003', '7004']),
      },
      'PATCH',
    );
    await apply(changed);
  }
}
