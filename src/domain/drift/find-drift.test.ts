import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DriftKind } from '../change/drift-kinds';
import type { LiveRule } from '../firewall/live-state';
import { describeDrift } from '../notifications/drift';
import { diffGuest } from '../policy/compare-rules';
import { compilePolicies } from '../policy/compile';
import type { CompilablePolicy, DesiredGuest } from '../policy/desired';
import { diffSets } from '../policy/diff-sets';
import { indexInventory } from '../policy/inventory-index';
import { renumber, toLiveRule } from '../policy/policy-model.fixture';
import { INVENTORY } from '../policy/random-policies.fixture';
import { DEPLOYMENT_REASONS, type DeploymentReason, deploymentStatus, type GuestView } from '../policy/status';
import { findDrift } from './find-drift';
import { hideAccepted } from './hide-accepted';

const makePolicy = (id: string, priority: number, change: Partial<CompilablePolicy> = {}): CompilablePolicy => ({
  id,
  version: 3,
  tenant_id: null,
  tier: 'platform_first',
  priority,
  created_at: '2026-01-01T00:00:00Z',
  definition: {
    enforcement_mode: 'enforced',
    direction: 'in',
    sources: ['10.0.0.0/8', ...Array.from({ length: 80 }, (_, at) => `11.${at}.0.0/17`)],
    targets: ['sg:some', 'vmid:1101'],
    default_action: 'drop',
  },
  rules: ['22', '443', '8080'].map((port, position) => ({
    position,
    action: 'accept',
    protocol: 'tcp',
    destination_ports: [port],
    source_ports: [],
    icmp_type: null,
    log: 'nolog',
    enabled: true,
    comment: 'why',
  })),
  ...change,
});
const POLICIES = [makePolicy('p1', 10), makePolicy('p2', 20)];
const INDEX = indexInventory(INVENTORY);
const compile = (policies: readonly CompilablePolicy[]) => compilePolicies(policies, INDEX, 'inst1').guests;
const GUESTS = compile(POLICIES);
const [GUEST] = GUESTS;
if (!GUEST) throw new Error('expected a guest');

type Scene = {
  applied?: DesiredGuest;
  desired?: DesiredGuest | null;
  live?: readonly LiveRule[] | null;
  sets?: Record<string, { cidr: string }[]> | null;
  defaults?: GuestView['defaults'];
  enforcement?: GuestView['enforcement'];
  missing?: boolean;
};

/** A workload where everything is as applied, unless the scene says otherwise. */
function make({
  applied = GUEST as DesiredGuest,
  desired = applied,
  live = applied.rules.map(toLiveRule),
  sets = Object.fromEntries(applied.sets.map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))])),
  defaults = { in: 'DROP', out: 'ACCEPT' },
  enforcement = [{ status: 'on' }],
  missing = false,
}: Scene = {}) {
  const options = { instance: 'inst1', vmid: applied.vmid, placement: 'above' as const };
  const view: GuestView = {
    vmid: applied.vmid,
    desired,
    diff: live && diffGuest(desired?.rules ?? [], live, options),
    sets: sets && diffSets(desired?.sets ?? [], sets),
    missing,
    enforcement,
    defaults,
  };
  const applied_diff = live && diffGuest(applied.rules, live, options);
  const find = (id: string) =>
    findDrift({
      policy: { id, version: 3 },
      view,
      applied_diff,
      applied: {
        rules: applied.rules.filter(({ policy_id }) => policy_id === id),
        policy_version: 3,
        drop_in: applied.drop_in.includes(id),
        drop_out: false,
      },
      sets,
      placement: 'above',
    });
  return { view, find };
}

const kindsIn = (scene: Scene, id = 'p1') =>
  make(scene)
    .find(id)
    .differences.map(({ kind }) => kind);

const FOREIGN: LiveRule = { pos: 0, type: 'in', action: 'DROP', enable: 1, comment: 'by hand' };
const replaceMarker = (rule: LiveRule, from: RegExp, to: string) => ({
  ...rule,
  comment: rule.comment?.replace(from, to) ?? '',
});
const alterAt = (at: number, change: (rule: LiveRule) => LiveRule) => (rules: LiveRule[]) =>
  rules.map((rule, index) => (index === at % rules.length ? change(rule) : rule));

/** What people do to rules manually. */
const EDITS: ((at: number) => (rules: LiveRule[]) => LiveRule[])[] = [
  (at) => alterAt(at, (rule) => ({ ...rule, action: rule.action === 'DROP' ? 'REJECT' : 'DROP' })),
  (at) => alterAt(at, (rule) => ({ ...rule, dport: '1' })),
  (at) => alterAt(at, (rule) => ({ ...rule, enable: 0 })),
  (at) => alterAt(at, (rule) => replaceMarker(rule, / v=\d+/, ' v=9')),
  (at) => alterAt(at, (rule) => replaceMarker(rule, / g=\d+/, ' g=777')),
  (at) => alterAt(at, (rule) => replaceMarker(rule, / r=\w+/, ' r=0123456789abcdef')),
  (at) => (rules) => rules.toSpliced(at % rules.length, 1),
  (at) => (rules) => [...rules, { ...(rules[at % rules.length] ?? FOREIGN) }],
  () => (rules) => [FOREIGN, ...rules],
  () => (rules) => rules.toReversed(),
  (at) => (rules) => [...rules.slice(at % rules.length), ...rules.slice(0, at % rules.length)],
];

/** What each reason of the deployment status is as drift; those left out are none. */
const KINDS: Partial<Record<DeploymentReason, readonly DriftKind[]>> = {
  content_differs: ['edited', 'duplicated'],
  set_differs: ['set_changed'],
  missing_rule: ['deleted'],
  disabled_rule: ['disabled', 'duplicated'],
  duplicate_rule: ['duplicated'],
  leftover: ['leftover', 'marker_forged', 'workload_moved'],
  order_differs: ['reordered'],
  foreign_shadow: ['shadowed'],
  nic_flag_off: ['switch_changed'],
  guest_firewall_off: ['switch_changed'],
  cluster_firewall_off: ['switch_changed'],
  default_policy_differs: ['default_changed'],
};
const getStatus = (view: GuestView, id: string) => deploymentStatus(id, true, false, [view], () => true);

describe('findDrift', () => {
  it.each(DEPLOYMENT_REASONS.map((reason) => [reason]))('has a kind for %s if it is drift', (reason) => {
    const text = describeDrift({ status: 'stale', deployments: [{ reasons: [reason] }] });
    expect(text !== null && text !== 'unknown').toBe(KINDS[reason] !== undefined);
  });

  it('finds nothing on 1,000 untouched workloads', () => {
    const [first] = INVENTORY.workloads;
    if (!first) throw new Error('expected a workload');
    const workloads = Array.from({ length: 1_000 }, (_, at) => ({
      ...first,
      id: `w${at}`,
      name: `w${at}`,
      vmid: 10_000 + at,
      addresses: [`10.${at >> 8}.0.${at & 255}`],
      tags: ['all'],
    }));
    const definition = { ...makePolicy('p1', 1).definition, targets: ['tag:all'] };
    const policies = ['p1', 'p2', 'p3'].map((id, at) => makePolicy(id, at, { definition }));
    const { guests } = compilePolicies(policies, indexInventory({ ...INVENTORY, workloads }), 'inst1');
    expect(guests).toHaveLength(1_000);
    const found = guests.flatMap((applied) => {
      const { find } = make({ applied, live: [...applied.rules.map(toLiveRule), { ...FOREIGN, pos: 99 }] });
      return policies.flatMap(({ id }) => [...find(id).differences, ...find(id).unread]);
    });
    expect(found).toEqual([]);
  });

  it('agrees with the deployment status whatever was edited, when nothing waits', () => {
    const edits = fc.array(fc.tuple(fc.nat(EDITS.length - 1), fc.nat(20)), { maxLength: 3 });
    fc.assert(
      fc.property(edits, (chosen) => {
        let live = (GUEST as DesiredGuest).rules.map(toLiveRule);
        for (const [which, at] of chosen) live = renumber(live.length > 0 ? (EDITS[which]?.(at)(live) ?? live) : live);
        const { view, find } = make({ live });
        for (const id of ['p1', 'p2']) {
          const { differences } = find(id);
          const { reasons } = getStatus(view, id);
          const kinds = new Set(differences.map(({ kind }) => kind));
          const hasReason = reasons.some((reason) => reason === 'version_behind' || KINDS[reason]);
          expect([...kinds], reasons.join()).toHaveLength(hasReason ? Math.max(1, kinds.size) : 0);
          for (const reason of reasons) {
            const expected = KINDS[reason];
            if (expected)
              expect(expected.some((kind) => kinds.has(kind)) || reason === 'missing_rule', reason).toBe(true);
          }
          expect(getStatus(hideAccepted(id, view, differences), id)).toMatchObject({ status: 'active', reasons: [] });
        }
      }),
      { numRuns: 150 },
    );
  });

  it('finds nothing where a new version, rule or default only waits for an apply', () => {
    const [next] = compile([
      makePolicy('p1', 10, { version: 4, rules: makePolicy('p1', 10).rules.slice(1) }),
      makePolicy('p2', 5),
    ]);
    expect(kindsIn({ desired: next ?? null })).toEqual([]);
    expect(kindsIn({ desired: null })).toEqual([]);
  });

  it('finds an edit although a new version waits for an apply', () => {
    const [next] = compile([makePolicy('p1', 10, { version: 4 }), makePolicy('p2', 20)]);
    const live = (GUEST as DesiredGuest).rules.map(toLiveRule);
    const edited = live.map((rule, at) => (at === 1 ? { ...rule, dport: '444' } : rule));
    expect(kindsIn({ desired: next ?? null, live: edited })).toEqual(['edited']);
  });

  it('does not take a rule that is neither live nor desired any more for drift', () => {
    const [next] = compile([makePolicy('p1', 10, { version: 4, rules: makePolicy('p1', 10).rules.slice(0, 2) })]);
    const live = (GUEST as DesiredGuest).rules.map(toLiveRule).filter(({ dport }) => dport !== '8080');
    expect(kindsIn({ desired: next ?? null, live })).toEqual([]);
  });

  it('finds sets, switches and defaults, and accepts them', () => {
    const { view, find } = make({
      sets: {},
      defaults: { in: 'ACCEPT', out: 'ACCEPT' },
      enforcement: [{ status: 'off', reasons: ['cluster_firewall_off', 'guest_firewall_off', 'nic_flag_off'] }],
    });
    const { differences } = find('p1');
    expect(differences.map(({ kind, subject_key }) => [kind, subject_key])).toEqual([
      ['set_changed', (GUEST as DesiredGuest).sets[0]?.name],
      ['switch_changed', 'cluster'],
      ['switch_changed', 'guest'],
      ['switch_changed', 'net0'],
      ['default_changed', 'in'],
    ]);
    expect(getStatus(hideAccepted('p1', view, differences), 'p1')).toMatchObject({ status: 'active', reasons: [] });
    expect(getStatus(hideAccepted('p1', view, differences.slice(1)), 'p1').reasons).toEqual(['set_differs']);
  });

  it('names the kinds that could not be read, and finds nothing of them', () => {
    const unknown = make({
      live: null,
      sets: null,
      defaults: null,
      enforcement: [{ status: 'unknown', reasons: ['unknown_nic_flag'] }],
    }).find('p1');
    expect(unknown.differences).toEqual([]);
    expect(new Set(unknown.unread).size).toBe(12);
    expect(make({ live: [], missing: true }).find('p1')).toEqual({ differences: [], unread: [] });
  });
});
