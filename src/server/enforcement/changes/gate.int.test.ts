import { beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { ApplyPendingResult } from '@/domain/deployments';
import type { MappingRule } from '@/domain/mapping-rule';
import type { Policy } from '@/domain/policies';
import type { SecurityGroup } from '@/domain/security-group';
import { newApiToken } from '@/server/access/account/api-tokens';
import { listOperations } from '@/server/api/list-routes';
import { appRouter } from '@/server/api/root';
import { hashToken } from '@/server/auth/session-tokens';
import { db } from '@/server/db/client';
import { apiTokens } from '@/server/db/schema/sign-in';
import { apply, requestAs, type Side } from '@/server/enforcement/deployments/removal/moves.fixture';
import {
  at,
  lab,
  policyRuleLines,
  prepareDeploymentLab,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { newId } from '@/server/lib/ids';
import { bearer, makeProject, makeTenant, makeUser } from '@/test/factories';
import { call } from '@/test/request';
import { advanceChange } from './rollout/advance-change';
import { type Given, sendOperation } from './send-operation.fixture';

prepareDeploymentLab();

const STAYS = 101;
const MOVED = 102;
/** Placed by a mapping rule. */
const MAPPED = 200;

type State = Awaited<ReturnType<typeof prepare>>;

/** An enforced policy that is live, a version of it that is not, a group it names, and workloads placed manually and by a rule. */
async function prepare() {
  const [author, approver, other] = [
    await makeUser('super_admin'),
    await makeUser('super_admin'),
    await makeUser('security_engineer'),
  ];
  const as: Side['as'] = () => bearer(author);
  const makeSide = async (name: string) => {
    const tenant = await makeTenant({ name: `${name} ${newId()}` });
    return { tenant, project: await makeProject(tenant) };
  };
  const [ours, theirs] = [await makeSide('ours'), await makeSide('theirs')];
  const [stays, moved] = [await lab.id(STAYS), await lab.id(MOVED)];
  const tenant_id = ours.tenant.id;
  await requestAs(as, '/workloads/assign', { project_id: ours.project.id, workload_ids: [stays, moved] });
  const mapping = { source: 'tag', value: 'infra', cluster_id: lab.cluster.id, project_id: ours.project.id };
  const rule = await requestAs<MappingRule>(as, '/mapping-rules', mapping);
  const group = await requestAs<SecurityGroup>(as, '/security-groups', {
    name: 'callers',
    tenant_id,
    workload_ids: [stays],
  });
  const unused = await requestAs<SecurityGroup>(as, '/security-groups', { name: 'unused', tenant_id });
  const definition = {
    enforcement_mode: 'enforced',
    sources: ['10.20.22.0/24', `sg:${group.id}`, 'sg:future'],
    targets: [STAYS, MOVED, MAPPED].map((vmid) => `vmid:${lab.cluster.id}/${vmid}`),
    default_action: 'drop',
  };
  const rules = [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }];
  const policy = await requestAs<Policy>(as, '/policies', { name: 'shop', tenant_id, definition, rules });
  const audited = { ...definition, enforcement_mode: 'audit' };
  const draft = await requestAs<Policy>(as, '/policies', { name: 'idle', tenant_id, definition: audited, rules });
  const deployment = await apply({ ...ours, as }, policy);
  expect(policyRuleLines(MAPPED, policy)).toHaveLength(1);
  await lab.sql`update deployments set status = 'failed' where id = ${deployment}`;
  const changed = await requestAs<Policy>(as, `/policies/${policy.id}/rules`, {
    rule: { action: 'accept', protocol: 'tcp', destination_ports: ['443'] },
  });
  await lab.sql`insert into residual_rules (id, workload_id, policy_id, policy_name, policy_version, workload_name, mode)
    values (${newId()}, ${stays}, ${newId()}, 'former', 1, 'web', 'keep')`;
  const drift = newId();
  await lab.sql`insert into drifts (id, policy_id, workload_id, kind, subject_key, subject, live_hash)
    values (${drift}, ${policy.id}, ${stays}, 'deleted', 'rule', 'Rule 1', '')`;
  return {
    drift,
    author,
    approver,
    other,
    ours,
    theirs,
    stays,
    moved,
    rule,
    group,
    unused,
    definition,
    rules,
    draft,
    deployment,
    policy: changed,
  };
}

const policyParams = ({ policy }: State) => ({ policy_id: policy.id });
const ruleParams = ({ policy }: State) => ({ policy_id: policy.id, rule_id: policy.rules[0]?.id ?? '' });
const groupParams = ({ group }: State) => ({ security_group_id: group.id });
const RULE = { action: 'accept', protocol: 'tcp', destination_ports: ['8080'] };

/**
 * What each operation that could lead to a write to a hypervisor is asked here; `nothing`: it stores nothing that filters, or
 * nothing at all. `a change`: it is a step of a change, whose approvals are counted.
 */
const ASKED: Record<string, ((state: State) => Given[]) | 'nothing' | 'a change'> = {
  'deployments.applyPolicy': (s) => [{ params: policyParams(s), input: { dry_run: false } }],
  'deployments.reconcile': (s) => [{ params: policyParams(s) }],
  'deployments.retry': (s) => [{ params: { deployment_id: s.deployment } }],
  'deployments.applyPending': () => [{ input: {} }],
  'workloads.removeResidualRules': (s) => [{ params: { workload_id: s.stays } }],
  'policies.create': (s) => [
    { input: { name: 'more', tenant_id: s.ours.tenant.id, definition: s.definition, rules: s.rules } },
  ],
  'policies.update': (s) => [
    { params: policyParams(s), input: { enabled: false } },
    { params: policyParams(s), input: { definition: { ...s.definition, enforcement_mode: 'audit' } } },
    { params: policyParams(s), input: { rules: [RULE] } },
    // What expires is removed without another approval.
    { params: policyParams(s), input: { expires_at: '2030-01-01T00:00:00Z' } },
    { params: policyParams(s), input: { project_id: s.ours.project.id } },
    { params: { policy_id: s.draft.id }, input: { definition: s.definition } },
  ],
  'policies.delete': (s) => [{ params: policyParams(s) }],
  'policies.release': 'nothing',
  'policies.addRule': (s) => [{ params: policyParams(s), input: { rule: RULE } }],
  'policies.changeRule': (s) => [{ params: ruleParams(s), input: { rule: RULE } }],
  'policies.removeRule': (s) => [{ params: ruleParams(s) }],
  'policies.revert': (s) => [{ params: { ...policyParams(s), version: '1' }, input: {} }],
  'policies.draft': 'nothing',
  'policyFile.plan': 'nothing',
  'policyFile.change': 'a change',
  'suggestions.create': 'nothing',
  'suggestions.update': 'nothing',
  'suggestions.createChange': 'a change',
  'securityGroups.create': (s) => [{ input: { name: 'future', tenant_id: s.ours.tenant.id, workload_ids: [s.moved] } }],
  'securityGroups.update': (s) => [{ params: groupParams(s), input: { member_tags: ['prod'] } }],
  'securityGroups.release': 'nothing',
  // Only a group that no policy names can be deleted.
  'securityGroups.delete': 'nothing',
  'securityGroups.addMember': (s) => [{ params: groupParams(s), input: { workload_id: s.moved } }],
  'securityGroups.changeMembers': (s) => [{ params: groupParams(s), input: { add: [s.moved], remove: [s.stays] } }],
  'securityGroups.removeMember': (s) => [{ params: { ...groupParams(s), workload_id: s.stays } }],
  'mappingRules.create': (s) => [
    { input: { source: 'tag', value: 'infra', project_id: s.theirs.project.id, priority: 1 } },
  ],
  'mappingRules.update': (s) => [
    { params: { mapping_rule_id: s.rule.id }, input: { project_id: s.theirs.project.id } },
    { params: { mapping_rule_id: s.rule.id }, input: { enabled: false } },
  ],
  'mappingRules.delete': (s) => [{ params: { mapping_rule_id: s.rule.id } }],
  'projects.assignWorkloads': (s) => [
    { input: { project_id: s.theirs.project.id, workload_ids: [s.moved] } },
    { input: { project_id: null, workload_ids: [s.moved] } },
  ],
  'projects.followMappingRules': (s) => [{ input: { workload_ids: [s.moved] } }],
  'projects.previewAssignment': 'nothing',
  'changes.create': 'a change',
  'changes.update': 'a change',
  'changes.submit': 'a change',
  'changes.withdraw': 'a change',
  'changeRollout.applyPolicy': (s) => [{ input: { policy_id: s.policy.id } }],
  'changeRollout.applyChange': 'a change',
  'changeRollout.continue': 'a change',
  'changeRollout.confirm': 'a change',
  'changeRollout.rollBack': 'a change',
  'changeRollout.revert': 'a change',
  'drift.reconcile': (s) => [{ params: { drift_id: s.drift } }],
  'drift.reconcileMany': (s) => [{ input: { drift_ids: [s.drift] } }],
  'drift.accept': 'nothing',
  'drift.acceptMany': 'nothing',
  'drift.withdraw': 'nothing',
  'drift.previewAdoption': 'nothing',
  'drift.previewAdoptionOfMany': 'nothing',
  'drift.adopt': 'a change',
  'drift.adoptMany': 'a change',
  'hygiene.fix': 'a change',
};

/** Of what these permissions allow, nothing is written to a hypervisor. */
const WRITES_NOTHING = [
  'agent',
  'audit',
  'change',
  'cluster',
  'ipam',
  'notification',
  'policy_test',
  'project',
  'role',
  'tenant',
  'user',
];

/** Every operation that changes something and is not known to write nothing to a hypervisor. */
const operations = listOperations(appRouter).filter(([, { access, rest }]) => {
  if (rest?.startsWith('GET ') || !('permission' in access) || access.permission === '*') return false;
  const [resource = '', verb] = access.permission.split(':');
  return verb !== 'read' && !WRITES_NOTHING.includes(resource);
});

/** Everything that a path could have changed, and the live rules. */
async function readAll(): Promise<string> {
  const [stored] = await lab.sql<{ all: string }[]>`select jsonb_build_array(
    (select jsonb_agg(p order by p.id) from policies p), (select jsonb_agg(r order by r.id) from security_rules r),
    (select jsonb_agg(g order by g.id) from security_groups g),
    (select jsonb_agg(m order by m.security_group_id, m.workload_id) from security_group_members m),
    (select jsonb_agg(m order by m.id) from mapping_rules m), (select jsonb_agg(r order by r.id) from residual_rules r),
    (select jsonb_agg(jsonb_build_array(w.id, w.project_id, w.project_assigned_by) order by w.id) from workloads w),
    (select jsonb_agg(jsonb_build_array(d.id, d.status) order by d.id) from deployments d))::text as all`;
  const files = [STAYS, MOVED, MAPPED].map((vmid) => lab.control.firewall.guestFile(vmid));
  return JSON.stringify([stored?.all, files]);
}

type Answer = { reason?: string; change?: object | null };

/** @param lacks the caller may not have the permission at all */
const isRefused = ({ status, body }: { status: number; body: Answer }, lacks: boolean): boolean =>
  status === 403 ? lacks : status === 409 && body.reason === 'approval_required';

async function makeToken(owner: { id: string }) {
  const { token, prefix } = newApiToken();
  const permissions = ['policy:write', 'policy:apply', 'group:write', 'mapping:write', 'workload:write'];
  const stored = { user_id: owner.id, name: 'program', prefix, token_hash: hashToken(token), permissions };
  await db.insert(apiTokens).values({ ...stored, expires_at: '2999-01-01T00:00:00Z' });
  return { authorization: `Bearer ${token}` };
}

const requireApproval = (state: State, scope = 'enforcing') =>
  requestAs(
    () => bearer(state.author),
    '/settings',
    { change_approvals_required: 1, change_approval_scope: scope },
    'PATCH',
  );

describe('approval that is required', () => {
  let state: State;
  beforeEach(async () => {
    await lab.sql`delete from system_settings where key = 'runtime'`;
    state = await prepare();
  });

  it('refuses every direct path to everyone, over REST and tRPC, and changes nothing', async () => {
    // A new operation needs a line in ASKED, or a resource that writes nothing.
    expect(operations.map(([name]) => name).filter((name) => !(name in ASKED))).toEqual([]);
    await requireApproval(state);
    const before = await readAll();
    const token = await makeToken(state.author);
    const callers = {
      author: () => bearer(state.author),
      approver: () => bearer(state.approver),
      other: () => bearer(state.other),
      'token of the author': async () => token,
    };
    const passed: string[] = [];
    const offered = new Map<string, object>();
    for (const [name, operation] of operations) {
      const asked = ASKED[name];
      if (typeof asked !== 'function') continue;
      for (const [index, given] of asked(state).entries()) {
        for (const [who, headers] of Object.entries(callers)) {
          for (const surface of ['REST', 'tRPC'] as const) {
            const answer = await sendOperation<Answer>(surface, name, operation, given, await headers());
            const path = `${name} ${index} by ${who} over ${surface}`;
            if (!isRefused(answer, who === 'other')) passed.push(`${path}: ${JSON.stringify(answer)}`);
            if (answer.body.change && who === 'author') offered.set(`${name} ${index}`, answer.body.change);
          }
        }
      }
    }
    expect(passed).toEqual([]);
    expect(Object.keys(ASKED).filter((name) => typeof ASKED[name] === 'function' && !offered.has(`${name} 0`))).toEqual(
      [],
    );
    for (const [path, change] of offered) {
      const created = await requestAs<Change>(callers.author, '/changes', change).catch(String);
      expect(created, path).toMatchObject({ state: 'draft', items_total: 1 });
    }
    expect(await readAll()).toBe(before);
  }, 120_000);

  it('leaves dry runs, edits that filter nothing, unused groups and moves seen by a sync alone', async () => {
    await requireApproval(state);
    const as = () => bearer(state.author);
    const path = `/policies/${state.policy.id}`;
    await requestAs(as, `${path}/apply`, { dry_run: true });
    await requestAs(as, path, { name: 'shop 2', description: 'renamed' }, 'PATCH');
    await requestAs(as, `/policies/${state.draft.id}`, { rules: [RULE] }, 'PATCH');
    await requestAs(as, `/security-groups/${state.unused.id}`, { member_tags: ['prod'] }, 'PATCH');
    await requestAs(as, `/security-groups/${state.unused.id}`, undefined, 'DELETE');
    lab.control.setTags(MAPPED, ['elsewhere']);
    expect(await lab.sync()).toMatchObject({ status: 'ok' });
    const removals = await lab.sql`select 1 from deployments where kind = 'removal' and status = 'queued'`;
    expect(removals).toHaveLength(1);
  });

  it('offers a change for those of several policies that it refuses, and for a group that moves', async () => {
    const as = () => bearer(state.author);
    await requestAs(as, `/tenants/${state.ours.tenant.id}`, { approvals_required: 1 }, 'PATCH');
    const { definition, rules } = state;
    const free = await requestAs<Policy>(as, '/policies', {
      ...{ name: 'of the platform', tenant_id: null, definition: { ...definition, targets: [at(STAYS)] }, rules },
    });
    const { operations: done, change } = await requestAs<ApplyPendingResult>(as, '/policies/apply-pending', {});
    const started = done.map(({ policy_id, deployment_ids }) => [policy_id, deployment_ids.length]);
    expect(Object.fromEntries(started)).toMatchObject({ [state.policy.id]: 0, [free.id]: 1 });
    expect(change).toMatchObject({ items: [{ kind: 'policy', policy_id: state.policy.id }] });

    await requestAs(as, `/tenants/${state.ours.tenant.id}`, { approval_scope: 'all' }, 'PATCH');
    const { project } = state.ours;
    for (const [path, table, { id }] of [
      ['security-groups', 'security_groups', state.unused],
      ['policies', 'policies', state.draft],
    ] as const) {
      await requestAs(as, `/tenants/${state.ours.tenant.id}`, { approvals_required: 1 }, 'PATCH');
      const readProject = async () => (await lab.sql`select project_id from ${lab.sql(table)} where id = ${id}`)[0];
      const options = { method: 'PATCH', headers: await as(), body: { project_id: project.id } };
      const refused = await call(`/${path}/${id}`, options);
      expect(refused.status).toBe(409);
      const offered = (await refused.json()) as { change: object };
      await requestAs(as, `/tenants/${state.ours.tenant.id}`, { approvals_required: 0 }, 'PATCH');
      const take = async (change: Change) => {
        await requestAs(as, `/changes/${change.id}/submit`, {});
        await requestAs(as, `/changes/${change.id}/apply`, {});
        await advanceChange(change.id);
      };
      const move = await requestAs<Change>(as, '/changes', offered.change);
      expect(move.items).toMatchObject([{ project_id: project.id, moved_from: { project_id: null } }]);
      await take(move);
      expect(await readProject()).toEqual({ project_id: project.id });
      await requestAs(as, `/changes/${move.id}/confirm`, {});
      const revert = await requestAs<Change>(as, `/changes/${move.id}/revert`, {});
      expect(revert.items).toMatchObject([{ project_id: null, moved_from: { project_id: project.id } }]);
      await take(revert);
      expect(await readProject()).toEqual({ project_id: null });
      await requestAs(as, `/changes/${revert.id}/roll-back`, {});
      expect(await readProject()).toEqual({ project_id: project.id });
    }
  });

  it('covers all edits where the scope is all, and follows the stricter of tenant and installation', async () => {
    const as = () => bearer(state.author);
    const tenant = `/tenants/${state.ours.tenant.id}`;
    const editDraft = () => requestAs(as, `/policies/${state.draft.id}`, { description: newId() }, 'PATCH');
    const applyShop = () => requestAs(as, `/policies/${state.policy.id}/apply`, {});
    await requestAs(as, tenant, { approvals_required: 2 }, 'PATCH');
    await editDraft();
    await expect(applyShop()).rejects.toThrow('requires 2 approvals');
    await requestAs(as, tenant, { approval_scope: 'all' }, 'PATCH');
    await expect(editDraft()).rejects.toThrow('requires 2 approvals');
    await requestAs(as, tenant, { approvals_required: 0 }, 'PATCH');
    await editDraft();
    await requireApproval(state, 'all');
    await expect(editDraft()).rejects.toThrow('requires 1 approval ');
    await requestAs(as, '/settings', { change_approvals_required: 0 }, 'PATCH');
    await editDraft();
    await applyShop();
  });
});
