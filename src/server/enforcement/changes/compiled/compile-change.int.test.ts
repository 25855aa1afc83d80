import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChangeItem } from '@/domain/change/items';
import { printFilter } from '@/domain/firewall/filter-print';
import { randomSource } from '@/domain/firewall/random-state.fixture';
import type { ChangedPolicy, DeletedPolicy, Policy, PolicySnapshot } from '@/domain/policies';
import { compilePolicies } from '@/domain/policy/compile';
import { toPolicyFields } from '@/domain/policy/snapshot';
import type { SecurityGroup } from '@/domain/security-group';
import * as jobs from '@/server/jobs/enqueue';
import type { FirewallState } from '../../policies/firewall-state/firewall-state';
import { readFirewallState } from '../../policies/firewall-state/read-firewall-state';
import { liveStateAt } from '../../policies/firewall-state/views';
import { computeApplyChange, type Readable } from '../../policies/planned-change';
import { isDeployed, type PolicyInputs } from '../../policies/policy-inputs';
import { makePolicyLab, type PolicyLab } from '../../policies/testing/policy-lab.fixture';
import { assertTestsHoldAfterChange, NO_TEST_RIGHTS } from '../../policy-tests/apply-gate';
import { assignAddresses } from '../../policy-tests/testing/addresses.fixture';
import * as versions from '../../queries/policy-versions';
import { compileChange } from './compile-change';

vi.spyOn(jobs, 'enqueue').mockResolvedValue();

let lab: PolicyLab;
beforeAll(async () => {
  lab = await makePolicyLab();
  await assignAddresses(lab, { 100: '10.20.20.11', 102: '10.20.21.11', 200: '10.20.22.53' });
}, 60_000);
afterAll(() => lab.close());

const OWNER = { tenant_id: null, project_id: null };
const toSnapshot = (policy: Policy): PolicySnapshot => ({ ...toPolicyFields(policy), rules: policy.rules });
const toGroupContent = ({ name, description, member_tags, member_tags_match }: SecurityGroup) => ({
  ...{ name, description, member_tags, member_tags_match },
});
const toPolicyItem = (before: Policy | null, after: Policy): Extract<ChangeItem, { kind: 'policy' }> => ({
  kind: 'policy',
  policy_id: after.id,
  name: after.name,
  ...OWNER,
  base_version: before?.version ?? null,
  before: before && { ...toSnapshot(before), version: before.version },
  after: toSnapshot(after),
  adopted_from: null,
});
const toDeleteItem = (policy: Policy): ChangeItem => ({
  ...{ kind: 'policy_delete', policy_id: policy.id, name: policy.name, ...OWNER, base_version: policy.version },
  before: { ...toSnapshot(policy), version: policy.version },
});

/** Inputs whatever the order in which they were read; a policy that was not stored yet has another time of creation. */
function toComparable(inputs: PolicyInputs, created: ReadonlySet<string>) {
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  return {
    policies: inputs.policies
      .map((policy) => ({ ...policy, created_at: created.has(policy.id) ? '' : policy.created_at }))
      .sort(byId),
    groups: inputs.groups.map((group) => ({ ...group, added: [...group.added].sort() })).sort(byId),
    compiled: compilePolicies(inputs.policies.filter(isDeployed), inputs.index, inputs.instance),
  };
}

/** How workloads filter, and the markers of their rules in order. */
function describeGuests(state: Readable, ids: readonly string[]) {
  return ids.map((id) => {
    const workload = state.inputs.workloads.get(id);
    const guest = state.snapshots.guests.get(id)?.state;
    if (!workload || !guest) return null;
    const live = liveStateAt(state, workload);
    return {
      filters: (guest.nics ?? []).map((nic) => [nic.name, nic.firewall, printFilter(live, nic)]),
      rules: (guest.rules ?? []).map(({ enable, comment }) => [enable, comment]),
      options: guest.options,
      sets: Object.keys(guest.ipsets ?? {}).sort(),
    };
  });
}

const VMIDS = [100, 102, 103, 105, 110, 200];
type Pick = <T>(values: readonly T[]) => T;

/** A policy as a request: every field at random. */
function randomPolicy(pick: Pick, groups: readonly SecurityGroup[]) {
  const ends = [...groups.map(({ id }) => `sg:${id}`), 'tag:prod', 'tag:infra', '10.20.0.0/16', '192.0.2.7'];
  const rule = () => ({
    action: pick(['accept', 'accept', 'drop', 'reject']),
    protocol: 'tcp',
    destination_ports: [pick(['22', '80', '443', '5432', '8000-8100'])],
    log: pick(['nolog', 'info']),
    comment: pick(['', 'why']),
  });
  return {
    priority: pick([10, 20, 30]),
    tier: pick(['platform_first', 'platform_last']),
    enabled: pick([true, true, true, true, false]),
    definition: {
      enforcement_mode: pick(['enforced', 'enforced', 'enforced', 'audit']),
      direction: pick(['in', 'in', 'both']),
      default_action: pick(['none', 'none', 'drop']),
      sources: [pick(ends), pick(ends)].filter((end, at, list) => list.indexOf(end) === at),
      targets: [pick([...groups.map(({ id }) => `sg:${id}`), 'tag:infra']), `vmid:${pick(VMIDS)}`],
    },
    rules: Array.from({ length: pick([1, 2, 3]) }, rule),
  };
}

class Workbench {
  policies: Policy[] = [];
  /** No item edits it after it was created. */
  kept: Policy | null = null;
  groups: SecurityGroup[] = [];
  items: ChangeItem[] = [];
  created = new Set<string>();
  cleanups = new Map<string, readonly { deployment_id: string }[]>();

  constructor(readonly pick: Pick) {}

  async #ask<T>(path: string, method: string, body?: object): Promise<T> {
    const answer = await lab.json(path, { method, ...(body && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  }

  async createPolicy(content: object = randomPolicy(this.pick, this.groups)): Promise<Policy> {
    const policy = await lab.create(content);
    this.policies.push(policy);
    this.created.add(policy.id);
    this.items.push(toPolicyItem(null, policy));
    return policy;
  }

  async editPolicy(policy: Policy, content: object = randomPolicy(this.pick, this.groups)): Promise<Policy> {
    const changed = await this.#ask<ChangedPolicy>(`/policies/${policy.id}`, 'PATCH', content);
    this.policies = this.policies.map((one) => (one.id === policy.id ? changed : one));
    this.items.push(toPolicyItem(policy, changed));
    this.cleanups.set(policy.id, changed.cleanup);
    return changed;
  }

  async deletePolicy(policy: Policy): Promise<void> {
    const { cleanup } = await this.#ask<DeletedPolicy>(`/policies/${policy.id}`, 'DELETE');
    this.policies = this.policies.filter(({ id }) => id !== policy.id);
    this.items.push(toDeleteItem(policy));
    this.cleanups.set(policy.id, cleanup);
  }

  async createGroup(add: string[], member_tags: string[] = []): Promise<SecurityGroup> {
    const body = { name: `group ${this.groups.length} ${Math.random()}`, member_tags, workload_ids: add };
    const group = await this.#ask<SecurityGroup>('/security-groups', 'POST', body);
    this.groups.push(group);
    const { id: group_id, name } = group;
    const after = toGroupContent(group);
    this.items.push({ kind: 'group', group_id, name, ...OWNER, base_version: null, before: null, after, add });
    return group;
  }

  async editGroup(group: SecurityGroup, content: object): Promise<void> {
    const changed = await this.#ask<SecurityGroup>(`/security-groups/${group.id}`, 'PATCH', content);
    this.groups = this.groups.map((one) => (one.id === group.id ? changed : one));
    const before = { ...toGroupContent(group), version: group.version };
    const { id: group_id, name, version: base_version } = group;
    const after = toGroupContent(changed);
    this.items.push({ kind: 'group', group_id, name, ...OWNER, base_version, before, after, add: [] });
  }

  async editMembers({ id: group_id, name, version: base_version }: SecurityGroup, add: string[], remove: string[]) {
    await this.#ask(`/security-groups/${group_id}/members`, 'PATCH', { add, remove });
    this.items.push({ kind: 'group_members', group_id, name, ...OWNER, base_version, add, remove });
  }

  /** Some edits of every kind, policies first, as a change stores them. */
  async editAtRandom(): Promise<void> {
    const { pick } = this;
    for (const policy of this.policies) {
      if (policy.id === this.kept?.id) continue;
      const what = pick(['keep', 'keep', 'edit', 'edit', 'rename', 'as stored', 'delete']);
      if (what === 'edit') await this.editPolicy(policy);
      if (what === 'rename') await this.editPolicy(policy, { description: `${Math.random()}` });
      if (what === 'as stored') this.items.push(toPolicyItem(policy, policy));
      if (what === 'delete') await this.deletePolicy(policy);
    }
    if (this.policies.length < 4) await this.createPolicy();
    for (const group of this.groups) {
      const what = pick(['tags', 'members']);
      const ids = await Promise.all(VMIDS.map(lab.id));
      if (what === 'tags') await this.editGroup(group, { member_tags: pick([[], ['mail'], ['prod', 'db']]) });
      const [add, remove] = [pick(ids), pick(ids)];
      if (what === 'members') await this.editMembers(group, [add], remove === add ? [] : [remove]);
    }
  }

  /** Carries out what was planned, in its order. */
  async deploy(compiled: Awaited<ReturnType<typeof compileChange>>): Promise<void> {
    for (const { policy_id, policy, leaves } of compiled.touched) {
      if (leaves === 'apply') await lab.apply(policy);
      else await lab.carryOut(this.cleanups.get(policy_id) ?? []);
    }
    this.items = [];
    this.created.clear();
    this.cleanups.clear();
    await lab.observe();
  }

  /** What the items compile to before they are stored: policies that they create have no version then. */
  async compileBefore(firewall: FirewallState) {
    const find = vi.spyOn(versions, 'findLastVersion').mockResolvedValue(0);
    const compiled = await compileChange(this.items, { firewall });
    find.mockRestore();
    return compiled;
  }
}

const createPick = (seed: number): Pick => {
  const random = randomSource(seed);
  return (values) => values[Math.floor(random() * values.length)] as never;
};

describe('compileChange', () => {
  it('gives the inputs that are read once its items are stored, and the states that its deployments leave', async () => {
    const bench = new Workbench(createPick(7));
    const kinds = new Set<string>();
    for (let round = 0; round < 5; round++) {
      await lab.observe();
      const firewall = await readFirewallState();
      if (round === 0) {
        const { id } = await bench.createGroup([await lab.id(102)], ['mail']);
        const definition = { enforcement_mode: 'enforced', sources: ['10.20.0.0/16'], targets: [`sg:${id}`] };
        bench.kept = await bench.createPolicy({ definition, rules: [{ action: 'accept', protocol: 'sctp' }] });
      }
      await bench.editAtRandom();
      const compiled = await bench.compileBefore(firewall);
      const { inputs } = await readFirewallState();
      expect(toComparable(compiled.inputs, bench.created)).toEqual(toComparable(inputs, bench.created));
      expect([...inputs.gone.keys()].filter((id) => !compiled.inputs.gone.has(id))).toEqual([]);
      for (const { leaves, is_item } of compiled.touched) kinds.add(`${leaves} ${is_item ? 'item' : 'group'}`);
      const expected = describeGuests(compiled.change.after, compiled.workload_ids);
      await bench.deploy(compiled);
      expect(describeGuests(await readFirewallState(), compiled.workload_ids)).toEqual(expected);
    }
    expect([...kinds].sort()).toEqual(['apply group', 'apply item', 'cleanup item']);
    for (const policy of bench.policies) await bench.deletePolicy(policy);
    const end = await compileChange(bench.items, { firewall: await readFirewallState() });
    expect(end.touched).toEqual([]);
    for (const cleanup of bench.cleanups.values()) await lab.carryOut(cleanup);
  });

  it('plans the same for one policy as an apply of it', async () => {
    const bench = new Workbench(createPick(1));
    const content = { ...randomPolicy(bench.pick, []), enabled: true };
    content.definition.enforcement_mode = 'enforced';
    const policy = await bench.createPolicy(content);
    await lab.apply(policy);
    await lab.observe();
    const firewall = await readFirewallState();
    bench.items = [];
    const changed = await bench.editPolicy(policy, { rules: [{ action: 'drop', protocol: 'udp' }] });
    const { change, inputs, isEnforcing, touched } = await compileChange(bench.items, { firewall });
    const after = inputs.policies.find(({ id }) => id === changed.id);
    const places = firewall.listPolicyWorkloads(changed.id);
    const single = after && (await computeApplyChange(firewall, after, places));
    expect(change.changed.size).toBeGreaterThan(0);
    expect([change.changed, change.unreadable]).toEqual([single?.changed, single?.unreadable]);
    expect(change.after.snapshots.guests).toEqual(single?.after.snapshots.guests);
    expect({ isEnforcing, touched }).toMatchObject({ isEnforcing: true, touched: [{ leaves: 'apply' }] });
    const audit = await bench.createPolicy({ ...content, enabled: false });
    const idle = await compileChange([toPolicyItem(null, audit)]);
    expect(idle).toMatchObject({ isEnforcing: false, touched: [], workload_ids: [] });
  });
});

describe('the hash of what a change compiles to', () => {
  let policy: Policy;
  let change: Extract<ChangeItem, { kind: 'policy' }>;
  let items: ChangeItem[];
  const hash = async () => (await compileChange(items)).hash;
  const file = (vmid: number) => lab.control.firewall.guestFile(vmid) ?? '';
  const writeFile = async (vmid: number, text: string) => {
    lab.control.firewall.setFile(`firewall/${vmid}.fw`, text);
    await lab.observe();
  };

  beforeAll(async () => {
    policy = await lab.create({
      definition: { enforcement_mode: 'enforced', direction: 'in', sources: ['tag:web'], targets: ['vmid:103'] },
      rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['25'] }],
    });
    await lab.apply(policy);
    await lab.observe();
    const rules = policy.rules.map((rule) => ({ ...rule, destination_ports: ['587'] }));
    const { after, ...same } = toPolicyItem(policy, policy);
    change = { ...same, after: { ...after, rules } };
    items = [change];
  }, 60_000);

  const addRule = (text: string, line: string) => text.replace('[RULES]\n', `[RULES]\n${line}\n`);

  it('stays the same while nothing filters differently', async () => {
    const before = await hash();
    const kept = file(103);
    const edits: [string, () => Promise<unknown>][] = [
      ['a tag that nothing refers to', () => lab.sql`update workloads set tags = tags || '{spare}' where vmid = 103`],
      ['names', () => lab.sql`update workloads set name = name || '-renamed' where vmid in (103, 105)`],
      ['a policy in audit mode', () => lab.create({ definition: { ...policy.definition, enforcement_mode: 'audit' } })],
      ['a disabled rule', () => writeFile(103, addRule(kept, '|IN DROP -p tcp -dport 587 # off'))],
      ['a comment', () => writeFile(103, `${kept.replace(/(IN .*)$/m, '$1 changed')}`)],
      ['a set that nothing uses', () => writeFile(103, `${kept}\n[IPSET spare]\n\n192.0.2.1\n`)],
      ['a rule of another workload', () => writeFile(102, addRule(file(102), 'IN DROP -p udp -dport 9'))],
    ];
    for (const [what, edit] of edits) {
      await edit();
      expect([what, await hash()]).toEqual([what, before]);
    }
    await writeFile(103, kept);
  });

  it('changes with every rule, switch and address that decides', async () => {
    const kept = file(103);
    const seen = new Set([await hash()]);
    const edits: [string, () => Promise<unknown>][] = [
      ['a rule by hand', () => writeFile(103, addRule(kept, 'IN DROP -p tcp -dport 587 # by hand'))],
      ['a default', () => writeFile(103, kept.replace('[OPTIONS]\n', '[OPTIONS]\npolicy_out: REJECT\n'))],
      ['an address', () => assignAddresses(lab, { 101: '10.20.20.12' })],
      ['a tag', () => lab.sql`update workloads set tags = tags || '{web}' where vmid = 102`],
      ['the content', async () => (items = [{ ...change, after: { ...change.after, rules: [] } }])],
    ];
    for (const [what, edit] of edits) {
      await edit();
      const now = await hash();
      expect([what, seen.has(now)]).toEqual([what, false]);
      seen.add(now);
    }
  });
});

describe('policy tests on a change', () => {
  it('count after all of it: edits that break a test one by one may keep it together', async () => {
    await assignAddresses(lab, { 120: '10.60.10.30' });
    const definition = { enforcement_mode: 'enforced', sources: ['10.0.0.0/8'], targets: ['vmid:120'] };
    const rule = { action: 'accept', protocol: 'tcp', destination_ports: ['7000'] };
    const bench = new Workbench(createPick(1));
    const open = await bench.createPolicy({ definition: { ...definition, default_action: 'drop' }, rules: [rule] });
    await lab.apply(open);
    await lab.observe();
    const body = {
      name: 'app',
      expect: 'allow',
      from: ['10.1.0.1'],
      to: ['vmid:120'],
      protocol: 'tcp',
      ports: ['7000'],
    };
    expect(await lab.json('/policy-tests', { body })).toMatchObject({ body: { result: 'pass' } });
    const closed = toPolicyItem(open, { ...open, rules: [] });
    const opening = toPolicyItem(null, await bench.createPolicy({ definition, rules: [rule] }));
    const check = async (items: ChangeItem[]) =>
      assertTestsHoldAfterChange(await compileChange(items), { ...NO_TEST_RIGHTS, read: 'all' }, { applied: false });
    await expect(check([closed])).rejects.toMatchObject({
      extra: { reason: 'policy_tests_failing', failing_tests: [{ name: 'app' }], applied: false },
    });
    expect(await check([closed, opening])).toBeNull();
  });
});
