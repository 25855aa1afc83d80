import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Change } from '@/domain/change/change';
import type { Policy } from '@/domain/policies';
import type { RuntimeSettingsUpdate } from '@/domain/settings';
import { systemScope } from '@/server/auth/scope';
import {
  apply as applyPolicy,
  at,
  create,
  get,
  lab,
  policyRuleLines,
  prepareDeploymentLab,
  RULES,
} from '@/server/enforcement/deployments/testing/deployment-lab.fixture';
import { assignAddresses } from '@/server/enforcement/policy-tests/testing/addresses.fixture';
import { clock } from '@/server/lib/clock';
import { newId } from '@/server/lib/ids';
import { updateSettings } from '@/server/settings/settings';
import { fakeClock } from '@/test/fake-clock';
import {
  apply,
  drive,
  edit,
  makeChange,
  readRow,
  targets,
  unreachable,
} from '../changes/rollout/testing/rollout-lab.fixture';
import { clearSnapshotCaches } from '../guest-firewall/live-reader';
import { removeExpired } from './remove-expired';

prepareDeploymentLab();

let time: ReturnType<typeof fakeClock>;
beforeEach(async () => {
  time = fakeClock();
  await choose({ policy_on_expiry: 'remove', change_approvals_required: 0 });
});
afterEach(() => time.restore());

const choose = (settings: RuntimeSettingsUpdate) => updateSettings(systemScope('*', 'test'), settings);
const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();
const [SSH, TELNET] = RULES;
const withExpiry = (seconds: number) => [SSH, { ...TELNET, expires_at: inSeconds(seconds) }];
const tick = async () => {
  clearSnapshotCaches();
  await removeExpired();
};
/** Changes that remove what expired of a policy. */
const listChanges = async ({ id: policy }: Pick<Policy, 'id'>) => {
  const rows = await lab.sql<{ id: string }[]>`select c.id from changes c join change_objects o on o.change_id = c.id
    where c.expiry is not null and o.object_id = ${policy} order by c.id`;
  return rows.map(({ id }) => id);
};
const read = (policy: Pick<Policy, 'id'>) => get<Policy>(`/policies/${policy.id}`);
const ports = ({ rules }: Policy) => rules.flatMap(({ destination_ports }) => destination_ports);

describe('an expired rule', () => {
  it('goes by one change at its time and not before, without another approval', async () => {
    const policy = await create({ ...targets(100), rules: withExpiry(600) });
    await applyPolicy(policy);
    await choose({ change_approvals_required: 1, change_approval_scope: 'all' });
    time.advance(599);
    await tick();
    expect(await listChanges(policy)).toEqual([]);
    time.advance(1);
    await tick();
    await tick();
    const [id = '', ...others] = await listChanges(policy);
    expect(others).toEqual([]);
    expect(await drive(id)).toBe('confirmed');
    await tick();
    expect(await listChanges(policy)).toEqual([id]);
    expect(ports(await read(policy))).toEqual(['22']);
    expect(policyRuleLines(100, policy).join()).toMatch(/dport 22/);
    expect(policyRuleLines(100, policy).join()).not.toMatch(/dport 23/);
    const change = await get<Change>(`/changes/${id}`);
    expect(change).toMatchObject({
      ...{ title: `Remove expired rule of ${policy.name}`, state: 'confirmed', approvals: [] },
      created_by: { id: null, name: 'policy expiry' },
      expiry: [{ policy_id: policy.id, rule_position: 1, version: 1, widens_access: true, approved_by: [] }],
    });
    expect(change.expiry?.[0]?.set_by.id).not.toBeNull();
    expect(change.description).toMatch(/without it more may pass/);
  });

  it('goes once with several workers at the same time', async () => {
    const [policy, other] = [await create({ ...targets(100), rules: withExpiry(60) }), await create(targets(101))];
    for (const one of [policy, other]) await applyPolicy(one);
    time.advance(60);
    clearSnapshotCaches();
    await Promise.all([removeExpired(), removeExpired(), removeExpired()]);
    expect(await listChanges(policy)).toHaveLength(1);
    expect((await read(policy)).expiry_problem).toBeNull();
    expect(ports(await read(other))).toEqual(['22', '23']);
  });

  it('goes from a policy that is managed as code, too', async () => {
    const policy = await create({ ...targets(100), rules: withExpiry(60) });
    await applyPolicy(policy);
    await lab.sql`update policies set managed_by = ${lab.sql.json({ source: 'rules', commit: null, commit_url: null })}`;
    time.advance(60);
    await tick();
    const left = await read(policy);
    expect([ports(left), left.expiry_problem, left.managed_by?.source]).toEqual([['22'], null, 'rules']);
  });

  it('names the version, the change and the people that approved its expiry', async () => {
    const policy = await create(targets(100));
    await applyPolicy(policy);
    const [ssh, telnet] = policy.rules;
    if (!ssh || !telnet) throw new Error('expected two rules');
    const set = await makeChange([edit(policy, { rules: [ssh, { ...telnet, expires_at: inSeconds(60) }] })], {
      confirm_within_seconds: 0,
    });
    await lab.sql`insert into change_reviews (id, change_id, actor_id, actor_name, decision, content_hash, compiled_hash)
      values (${newId()}, ${set}, ${newId()}, 'ben', 'approve', 'x', '')`;
    await apply(set);
    expect(await drive(set)).toBe('confirmed');
    // A later version with the same expiry is not the one that was approved.
    await lab.json(`/policies/${policy.id}`, { method: 'PATCH', body: { description: 'later' } });
    time.advance(60);
    await tick();
    const [id = ''] = await listChanges(policy);
    const { expiry } = await get<Change>(`/changes/${id}`);
    expect(expiry).toMatchObject([{ version: 2, change_id: set, approved_by: [{ name: 'ben' }] }]);
  });

  it('stays where the tenant only has it reported, and takes the whole policy with it when that expired', async () => {
    const policy = await create({ ...targets(100), expires_at: inSeconds(60) });
    await applyPolicy(policy);
    await choose({ policy_on_expiry: 'report' });
    time.advance(60);
    await tick();
    expect(await listChanges(policy)).toEqual([]);
    await choose({ policy_on_expiry: 'remove' });
    await tick();
    const [id = ''] = await listChanges(policy);
    expect(await drive(id)).toBe('confirmed');
    expect((await lab.json(`/policies/${policy.id}`)).status).toBe(404);
    expect(policyRuleLines(100, policy)).toEqual([]);
  });
});

describe('an expired rule that cannot be removed now', () => {
  it('waits for edits that are not applied, and says so', async () => {
    const policy = await create({ ...targets(100), rules: withExpiry(60) });
    await applyPolicy(policy);
    await lab.json(`/policies/${policy.id}/rules`, {
      method: 'POST',
      body: { rule: { action: 'accept', protocol: 'tcp', destination_ports: ['8080'] } },
    });
    time.advance(60);
    await tick();
    expect(await listChanges(policy)).toEqual([]);
    expect((await read(policy)).expiry_problem).toMatch(/edits that are not applied/);
    await applyPolicy(policy);
    await tick();
    expect(await listChanges(policy)).toHaveLength(1);
    expect((await read(policy)).expiry_problem).toBeNull();
  });

  it('goes later from workloads that cannot be written now', async () => {
    const policy = await create({ ...targets(100, 101), rules: withExpiry(60) });
    await applyPolicy(policy);
    time.advance(60);
    await tick();
    const [id = ''] = await listChanges(policy);
    expect(await drive(id, unreachable(101))).toBe('failed');
    expect(policyRuleLines(100, policy).join()).not.toMatch(/dport 23/);
    await tick();
    expect((await readRow(id)).rollout?.retry_at).not.toBeNull();
    time.advance(30);
    await tick();
    expect((await readRow(id)).state).toBe('failed');
    time.advance(60);
    await tick();
    expect(await drive(id)).toBe('confirmed');
    expect(policyRuleLines(101, policy).join()).not.toMatch(/dport 23/);
    expect(await listChanges(policy)).toEqual([id]);
  });

  it('stays for an hour after its removal was rolled back', async () => {
    const policy = await create({ ...targets(100), rules: withExpiry(60) });
    await applyPolicy(policy);
    time.advance(60);
    await tick();
    const [id = ''] = await listChanges(policy);
    expect((await lab.json(`/changes/${id}/roll-back`, { method: 'POST', body: {} })).status).toBe(202);
    expect(await drive(id)).toBe('rolled_back');
    await tick();
    expect(await listChanges(policy)).toEqual([id]);
    expect((await read(policy)).expiry_problem).toMatch(/rolled back/);
    time.advance(3600);
    await tick();
    expect(await listChanges(policy)).toHaveLength(2);
  });

  it('stays while a policy test would fail without it', async () => {
    await assignAddresses(lab, { 120: '10.60.10.30' });
    const { definition } = targets(120);
    const policy = await create({
      definition: { ...definition, default_action: 'drop' },
      rules: [{ ...SSH, destination_ports: ['7000'], expires_at: inSeconds(60) }],
    });
    await applyPolicy(policy);
    await lab.observe();
    const body = {
      name: 'app',
      expect: 'allow',
      from: ['10.20.22.9'],
      to: [at(120)],
      protocol: 'tcp',
      ports: ['7000'],
    };
    expect(await lab.json('/policy-tests', { body })).toMatchObject({ status: 201, body: { result: 'pass' } });
    time.advance(60);
    await tick();
    expect(await listChanges(policy)).toEqual([]);
    expect((await read(policy)).expiry_problem).toMatch(/^Policy tests would fail.*: app/);
  });
});
