import { describe, expect, it } from 'vitest';
import { evaluateEnforcement } from '../firewall/enforcement';
import { effectiveOptions } from '../firewall/guest-options';
import type { LiveGuestOptions, LiveRule } from '../firewall/live-state';
import { diffGuest } from './compare-rules';
import { compilePolicies } from './compile';
import type { CompilablePolicy } from './desired';
import { diffSets } from './diff-sets';
import { indexInventory } from './inventory-index';
import { renumber, toLiveRule } from './policy-model.fixture';
import { INVENTORY } from './random-policies.fixture';
import { deploymentStatus, type GuestView, toDisplayStatus, worstStatus } from './status';

const rule = (position: number, port: string) => ({
  position,
  action: 'accept' as const,
  protocol: 'tcp' as const,
  destination_ports: [port],
  source_ports: [],
  icmp_type: null,
  log: 'nolog' as const,
  enabled: true,
  comment: 'why',
});
const POLICY: CompilablePolicy = {
  id: 'p1',
  version: 2,
  tenant_id: null,
  tier: 'platform_first' as const,
  priority: 10,
  created_at: '2026-01-01T00:00:00Z',
  definition: {
    enforcement_mode: 'enforced',
    direction: 'in',
    sources: ['10.0.0.0/8'],
    targets: ['web1'],
    default_action: 'drop',
  },
  rules: [rule(0, '22'), rule(1, '443'), rule(2, '8080')],
};
const INDEX = indexInventory(INVENTORY);
const [GUEST] = compilePolicies([POLICY], INDEX, 'inst1').guests;
if (!GUEST) throw new Error('The policy must want something.');
const LIVE = GUEST.rules.map(toLiveRule);
const FOREIGN: LiveRule = { pos: 0, type: 'in', action: 'DROP', enable: 1, comment: 'by hand' };

type Scene = {
  live?: readonly LiveRule[] | null;
  options?: LiveGuestOptions | null;
  cluster?: boolean | null;
  nic?: boolean | null;
  missing?: boolean;
  desired?: boolean;
};

function view({
  live = LIVE,
  options = { enable: 1, policy_in: 'DROP' },
  cluster = true,
  nic = true,
  missing = false,
  desired = true,
}: Scene): GuestView {
  const guest = desired && GUEST ? GUEST : null;
  const state = {
    cluster: { firewall_enabled: cluster, groups: {}, ipsets: {}, aliases: {} },
    guest: { options, rules: live, ipsets: {}, aliases: {} },
    node: null,
  };
  const effective = options && effectiveOptions(options);
  return {
    vmid: 101,
    desired: guest,
    diff: live && diffGuest(guest?.rules ?? [], renumber(live), { instance: 'inst1', vmid: 101, placement: 'above' }),
    sets: { created: [], changed: [], removed: [] },
    missing,
    enforcement: [evaluateEnforcement(state, { name: 'net0', firewall: nic, mac: null })],
    defaults: effective && { in: effective.policy_in, out: effective.policy_out },
  };
}

const status = (scene: Scene) => deploymentStatus('p1', true, false, [view(scene)]);
const edit = (at: number, change: Partial<LiveRule>) =>
  LIVE.map((live, index) => (index === at ? { ...live, ...change } : live));
const comment = (from: string | RegExp, to: string) => (LIVE[1]?.comment ?? '').replace(from, to);

describe('a policy without rules that asks for a default of DROP', () => {
  const [guest = null] = compilePolicies([{ ...POLICY, rules: [] }], INDEX, 'inst1').guests;
  const reported = (scene: Scene) => {
    const found = view({ live: [], ...scene });
    return deploymentStatus('p1', true, false, [
      { ...found, desired: guest, ...(scene.live === null && { diff: null }) },
    ]);
  };

  it.each<[string, Scene, object]>([
    ['is active where the default drops', {}, { status: 'active', reasons: [] }],
    [
      'is stale where it does not',
      { options: { enable: 1, policy_in: 'ACCEPT' } },
      { status: 'stale', reasons: ['default_policy_differs'] },
    ],
    [
      'is partial where nothing is enforced',
      { options: { enable: 0, policy_in: 'DROP' } },
      { status: 'partial', reasons: ['guest_firewall_off'] },
    ],
    [
      'is not told to be off where the options could not be read',
      { options: null },
      { status: 'partial', reasons: ['enforcement_unknown', 'unreadable'] },
    ],
    ['is unreadable with the rules', { live: null }, { status: 'partial', reasons: ['unreadable'] }],
    ['is stale when the guest is gone', { missing: true }, { status: 'stale', reasons: ['guest_missing'] }],
  ])('%s', (_, scene, expected) => {
    expect(guest?.rules).toEqual([]);
    expect(reported(scene)).toMatchObject({ ...expected, expected: 0, live: 0 });
  });
});

describe('the deployment status', () => {
  it('returns active when the live state equals the desired state', () => {
    expect(status({})).toEqual({
      status: 'active',
      reasons: [],
      expected: 3,
      live: 3,
      missing: 0,
      outdated: 0,
      leftover: 0,
    });
  });

  it.each<[string, Scene, object]>([
    [
      'the action was edited',
      { live: edit(1, { action: 'DROP' }) },
      { status: 'stale', reasons: ['content_differs'], live: 2, outdated: 1 },
    ],
    ['the port was edited', { live: edit(1, { dport: '444' }) }, { status: 'stale', reasons: ['content_differs'] }],
    [
      'the comment was edited',
      { live: edit(1, { comment: comment('why', 'because') }) },
      { status: 'stale', reasons: ['content_differs'] },
    ],
    [
      'the marker was removed',
      { live: edit(1, { comment: 'mine' }) },
      { status: 'stale', reasons: ['missing_rule', 'foreign_shadow'] },
    ],
    [
      'a rule was deleted',
      { live: LIVE.slice(1) },
      { status: 'partial', reasons: ['missing_rule'], live: 2, missing: 1 },
    ],
    [
      'a rule was duplicated',
      { live: [...LIVE, ...LIVE.slice(2)] },
      { status: 'stale', reasons: ['duplicate_rule'], live: 3, leftover: 1 },
    ],
    [
      'a rule was disabled',
      { live: edit(1, { enable: 0 }) },
      { status: 'partial', reasons: ['disabled_rule'], live: 2, missing: 1 },
    ],
    ['rules were reordered', { live: [...LIVE].reverse() }, { status: 'stale', reasons: ['order_differs'], live: 3 }],
    [
      'a foreign rule shadows ours',
      { live: [FOREIGN, ...LIVE] },
      { status: 'stale', reasons: ['foreign_shadow'], live: 3 },
    ],
    ['the interface flag is off', { nic: false }, { status: 'partial', reasons: ['nic_flag_off'], live: 3 }],
    [
      'the guest firewall is off',
      { options: { policy_in: 'DROP' } },
      { status: 'partial', reasons: ['guest_firewall_off'] },
    ],
    ['the cluster firewall is off', { cluster: false }, { status: 'partial', reasons: ['cluster_firewall_off'] }],
    [
      'the default policy was changed',
      { options: { enable: 1, policy_in: 'ACCEPT' } },
      { status: 'partial', reasons: ['default_policy_differs'] },
    ],
    [
      'the version was edited',
      { live: edit(1, { comment: comment('v=2', 'v=1') }) },
      { status: 'stale', reasons: ['version_behind'], outdated: 1 },
    ],
    [
      'rules came from another guest',
      { live: LIVE.map((live) => ({ ...live, comment: (live.comment ?? '').replace('g=101', 'g=100') })) },
      { status: 'stale', reasons: ['missing_rule', 'leftover'], live: 0, leftover: 3 },
    ],
    ['the guest is gone', { missing: true }, { status: 'stale', reasons: ['guest_missing'], live: 0, missing: 3 }],
    ['nothing was ever applied', { live: [] }, { status: 'stale', reasons: ['never_applied'], live: 0, missing: 3 }],
    ['rules could not be read', { live: null }, { status: 'partial', reasons: ['unreadable'], missing: 0 }],
    [
      'the cluster switch could not be read',
      { cluster: null },
      { status: 'partial', reasons: ['enforcement_unknown'] },
    ],
  ])('tells that %s', (_, scene, desired) => expect(status(scene)).toMatchObject(desired));

  it('tells that a set that rules refer to was changed or could not be read', () => {
    const many = { ...POLICY, definition: { ...POLICY.definition, sources: ['sg:many'] } };
    const [guest] = compilePolicies([many], INDEX, 'inst1').guests;
    if (!guest) throw new Error('The policy must want something.');
    const live = guest.rules.map(toLiveRule);
    const whole = (ipsets: Record<string, { cidr: string }[]> | null): GuestView => ({
      ...view({}),
      desired: guest,
      diff: diffGuest(guest.rules, live, { instance: 'inst1', vmid: 101, placement: 'above' }),
      sets: ipsets && diffSets(guest.sets, ipsets),
    });
    const asDesired = Object.fromEntries(guest.sets.map(({ name, cidrs }) => [name, cidrs.map((cidr) => ({ cidr }))]));
    const changed = Object.fromEntries(Object.entries(asDesired).map(([name, entries]) => [name, entries.slice(1)]));
    const reported = (ipsets: typeof asDesired | null) => deploymentStatus('p1', true, false, [whole(ipsets)]);
    expect(reported(asDesired)).toMatchObject({ status: 'active' });
    expect(reported(changed)).toMatchObject({ status: 'stale', reasons: ['set_differs'] });
    expect(reported(null)).toMatchObject({ status: 'partial', reasons: ['unreadable'] });
  });

  it('does not change when the guest moves to another node', () => {
    // Rules follow the guest; only the view is read through another node.
    expect(deploymentStatus('p1', true, false, [view({}), view({ desired: false, live: [] })]).status).toBe('active');
  });

  it('returns null when nothing is to be deployed and no managed rule is live', () => {
    const clean = view({ desired: false, live: [FOREIGN] });
    expect(deploymentStatus('p1', false, false, [clean])).toMatchObject({ status: null, reasons: [] });
  });

  it('returns stale when the policy is disabled or audited but still live', () => {
    const left = view({ desired: false });
    expect(deploymentStatus('p1', false, false, [left])).toMatchObject({
      status: 'stale',
      reasons: ['leftover'],
      leftover: 3,
    });
  });

  it('returns unresolved when nothing can be expected', () => {
    expect(deploymentStatus('p1', true, true, [])).toMatchObject({
      status: 'unresolved',
      reasons: ['unresolved_endpoint'],
    });
  });

  it('counts only the policy that was asked for', () => {
    expect(deploymentStatus('p2', false, false, [view({})])).toMatchObject({ status: null, expected: 0, live: 0 });
  });
});

it('takes the worst of the clusters', () => {
  expect(worstStatus(['active', null, 'partial'])).toBe('partial');
  expect(worstStatus(['stale', 'unresolved'])).toBe('unresolved');
  expect(worstStatus([null])).toBeNull();
});

describe('a guest where the policy was never applied', () => {
  const reported = (scenes: readonly Scene[], applied: readonly boolean[]) => {
    const views = scenes.map(view);
    return deploymentStatus('p1', true, false, views, (one) => applied[views.indexOf(one)] ?? false);
  };
  const off = { live: [], options: { enable: 0 }, nic: false } as const;

  it('waits: switches that are off there are no reason', () => {
    expect(reported([off], [false])).toMatchObject({ status: 'stale', reasons: ['never_applied'], missing: 3 });
  });

  it('waits, also where it could not be read', () => {
    expect(reported([{ live: null }], [false])).toMatchObject({
      status: 'stale',
      reasons: ['never_applied', 'unreadable'],
    });
  });

  it('waits beside guests that have the policy, and misses no rule', () => {
    expect(reported([{}, off], [true, false])).toMatchObject({
      status: 'partial',
      reasons: ['guest_pending'],
      live: 3,
    });
  });

  it('counts as applied where the policy was applied and nothing is left', () => {
    expect(reported([{ live: [] }], [true])).toMatchObject({ status: 'stale', reasons: ['missing_rule'] });
  });

  it('shows as pending, not as stale, unless another cluster is worse', () => {
    const waiting = { status: 'stale', reasons: ['never_applied'] } as const;
    const shown = (...deployments: Parameters<typeof toDisplayStatus>[0]['deployments']) =>
      toDisplayStatus({ status: 'stale', deployments });
    expect(shown(waiting)).toBe('pending');
    expect(shown(waiting, { status: 'active', reasons: [] })).toBe('pending');
    expect(shown(waiting, { status: 'partial', reasons: ['missing_rule'] })).toBe('partial');
    expect(shown({ status: 'stale', reasons: ['leftover'] })).toBe('stale');
  });
});
