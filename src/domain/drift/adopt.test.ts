import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveRule } from '../firewall/live-state';
import { diffGuest } from '../policy/compare-rules';
import { compilePolicies } from '../policy/compile';
import type { CompilablePolicy } from '../policy/desired';
import { indexInventory } from '../policy/inventory-index';
import { renumber, toLiveRule } from '../policy/policy-model.fixture';
import { INVENTORY } from '../policy/random-policies.fixture';
import { resolveWorkloads } from '../policy/resolve';
import { type Adopted, type AdoptInput, type AdoptPlace, buildAdoptEdits } from './adopt';
import { findDrift } from './find-drift';

const INDEX = indexInventory(INVENTORY);
const rule = (position: number, port: string) => ({
  id: `00000000-0000-4000-8000-00000000000${position}`,
  position,
  action: 'accept' as const,
  protocol: 'tcp' as const,
  destination_ports: [port],
  source_ports: [],
  icmp_type: null,
  log: 'nolog' as const,
  enabled: true,
  comment: `port ${port}`,
  ...{ owner: 'anna@example.org', ticket: `NET-${port}`, expires_at: null },
});
const makePolicy = (targets: string[], change: Partial<AdoptInput['policy']> = {}): AdoptInput['policy'] => ({
  id: '00000000-0000-4000-8000-0000000000aa',
  version: 3,
  name: 'web in',
  description: '',
  enabled: true,
  tenant_id: null,
  project_id: null,
  tier: 'platform_first',
  tenant_visibility: 'rules',
  priority: 10,
  ...{ owner: 'anna@example.org', ticket: '', expires_at: '2027-01-31T00:00:00.000Z' },
  created_at: '2026-01-01T00:00:00Z',
  definition: {
    enforcement_mode: 'enforced',
    direction: 'in',
    sources: ['10.0.0.0/8'],
    targets,
    default_action: 'drop',
  },
  rules: [rule(0, '22'), rule(1, '443'), rule(2, '8080')],
  ...change,
});

const WORKLOAD = { id: 'web1', name: 'web1', vmid: 101, cluster_name: 'alpha' };
const OTHER = { id: 'web2', name: 'web2', vmid: 102, cluster_name: 'alpha' };
const NAMED = makePolicy(['vmid:alpha/101', 'web2', 'db1']);
const GROUPED = makePolicy(['sg:web']);

const rulesAt = (policies: readonly CompilablePolicy[], workloadId = WORKLOAD.id) =>
  compilePolicies(policies, INDEX, 'inst1').guests.find(({ workload_id }) => workload_id === workloadId)?.rules ?? [];

type Change = (rules: LiveRule[]) => LiveRule[];

/** A workload after its live rules were changed. */
function makePlace(
  policy: AdoptInput['policy'],
  change: Change,
  defaults: 'DROP' | 'ACCEPT' = 'DROP',
  workload = WORKLOAD,
): AdoptPlace {
  const applied = rulesAt([policy as CompilablePolicy], workload.id);
  const live = renumber(change(applied.map(toLiveRule)));
  const diff = diffGuest(applied, live, { instance: 'inst1', vmid: workload.vmid, placement: 'above' });
  const desired = {
    ...{ cluster_id: 'c1', workload_id: workload.id, vmid: workload.vmid },
    ...{ rules: applied, sets: [], drop_in: [policy.id], drop_out: [] },
  };
  const { differences } = findDrift({
    policy,
    view: {
      vmid: workload.vmid,
      desired,
      diff,
      sets: null,
      missing: false,
      enforcement: [],
      defaults: { in: defaults, out: 'ACCEPT' },
    },
    applied_diff: diff,
    applied: { rules: applied, policy_version: 3, drop_in: true, drop_out: false },
    sets: null,
    placement: 'above',
  });
  return { differences, applied, desired: applied, live, workload, others: [] };
}

function resolve(endpoint: string): string[] {
  const found = resolveWorkloads(endpoint, INDEX, null);
  return 'reason' in found ? [] : found.map(({ id }) => id);
}

/** What is adopted after the live rules of a workload were changed. */
const adopt = (
  policy: AdoptInput['policy'],
  change: Change,
  as: 'policy' | 'exception',
  defaults: 'DROP' | 'ACCEPT' = 'DROP',
  others: AdoptPlace['others'] = [],
): Adopted => buildAdoptEdits({ policy, places: [{ ...makePlace(policy, change, defaults), others }], resolve }, as);

type Edits = { edits: { policy_id?: string; policy: CompilablePolicy & { name: string } }[] };

/** The content of the rules on the workload and on another one, once the items are applied. */
function applyEdits(policy: AdoptInput['policy'], adopted: Adopted, workloadId = WORKLOAD.id) {
  if ('refusal' in adopted) throw new Error(adopted.refusal);
  const changed = (adopted as unknown as Edits).edits.map(({ policy_id, policy: content }, at) => ({
    ...content,
    id: policy_id ?? `new${at}`,
    version: 1,
    created_at: policy_id ? policy.created_at : '2027-01-01T00:00:00Z',
    rules: content.rules.map((one, position) => ({ ...one, position })),
  }));
  const all = changed.some(({ id }) => id === policy.id) ? changed : [...changed, policy as CompilablePolicy];
  const guests = compilePolicies(all, INDEX, 'inst1').guests;
  return (guests.find(({ workload_id }) => workload_id === workloadId)?.rules ?? []).map(({ content }) => content);
}
const toContents = (policy: AdoptInput['policy'], change: Change) =>
  change(rulesAt([policy as CompilablePolicy]).map(toLiveRule))
    .filter(({ enable }) => enable)
    .map(({ pos: _, enable: _on, comment: _text, ...content }) => content);

const toFrom = ({ id, name }: typeof WORKLOAD) => ({ id, name });
const alter = (at: number, change: Partial<LiveRule>) => (rules: LiveRule[]) =>
  rules.map((one, index) => (index === at ? { ...one, ...change } : one));
const EDITS: [string, Change][] = [
  ['an edited action', alter(1, { action: 'DROP' })],
  ['an edited port', alter(1, { dport: '444,8000:8010' })],
  ['a deleted rule', (rules) => rules.toSpliced(1, 1)],
  ['a disabled rule', alter(2, { enable: 0 })],
  ['another order', (rules) => rules.toReversed()],
];

describe('buildAdoptEdits', () => {
  it.each(EDITS)('makes %s the content of the policy for all its workloads', (_, change) => {
    const adopted = adopt(GROUPED, change, 'policy');
    expect(adopted).toMatchObject({ edits: [{ policy_id: GROUPED.id, base_version: 3 }] });
    for (const workload of ['web1', 'web2']) {
      expect(applyEdits(GROUPED, adopted, workload)).toEqual(toContents(GROUPED, change));
    }
  });

  it.each(EDITS)('makes %s an exception of a workload that the policy names, and of no other', (_, change) => {
    const adopted = adopt(NAMED, change, 'exception');
    expect(applyEdits(NAMED, adopted)).toEqual(toContents(NAMED, change));
    expect(applyEdits(NAMED, adopted, 'web2')).toEqual(toContents(NAMED, (rules) => rules));
  });

  it('makes another action an exception where a group puts the policy, in a policy evaluated before', () => {
    const adopted = adopt(GROUPED, alter(1, { action: 'DROP' }), 'exception');
    expect(adopted).toMatchObject({
      edits: [{ policy: { priority: 9, definition: { targets: ['vmid:alpha/101'], default_action: 'none' } } }],
    });
    const unchanged = toContents(GROUPED, (rules) => rules);
    const first = toContents(GROUPED, alter(1, { action: 'DROP' })).slice(0, 2);
    expect(applyEdits(GROUPED, adopted)).toEqual([...first, ...unchanged]);
    expect(applyEdits(GROUPED, adopted, 'web2')).toEqual(unchanged);
  });

  it('adopts a default of accepting', () => {
    const adopted = adopt(GROUPED, (rules) => rules, 'policy', 'ACCEPT');
    expect(adopted).toMatchObject({ edits: [{ policy: { definition: { default_action: 'none' } } }] });
  });

  it('adopts several edited actions as one exception where a group puts the policy', () => {
    const change: Change = (rules) => alter(2, { action: 'REJECT' })(alter(0, { action: 'DROP' })(rules));
    const adopted = adopt(GROUPED, change, 'exception');
    expect(applyEdits(GROUPED, adopted)).toEqual([
      ...toContents(GROUPED, change),
      ...toContents(GROUPED, (rules) => rules),
    ]);
  });

  it('makes differences at several workloads one edit of the policy, in any order', () => {
    // Of each rule, what was done to it and where; a rule is the same at both or untouched at one.
    const deed = fc.constantFrom('none', 'action', 'port', 'delete', 'disable');
    const where = fc.constantFrom('first', 'second', 'both');
    const input = fc.tuple(fc.array(fc.tuple(deed, where), { minLength: 3, maxLength: 3 }), fc.boolean());
    fc.assert(
      fc.property(input, ([deeds, isSplit]) => {
        const change =
          (...where: string[]): Change =>
          (rules) =>
            rules.flatMap((rule, at) => {
              const [what, there] = deeds[at] ?? [];
              if (!there || !where.includes(there)) return [rule];
              if (what === 'delete') return [];
              if (what === 'action') return [{ ...rule, action: 'REJECT' }];
              if (what === 'port') return [{ ...rule, dport: '9999' }];
              return [what === 'disable' ? { ...rule, enable: 0 } : rule];
            });
        const places = [
          makePlace(GROUPED, change('first', 'both')),
          makePlace(GROUPED, change('second', 'both'), 'DROP', OTHER),
        ]
          .filter(({ differences }) => differences.length > 0)
          .flatMap((place) => (isSplit ? place.differences.map((one) => ({ ...place, differences: [one] })) : [place]));
        fc.pre(places.length > 0);
        const adopted = buildAdoptEdits({ policy: GROUPED, places, resolve }, 'policy');
        expect(adopted).toMatchObject({ edits: [{ policy_id: GROUPED.id, base_version: 3 }] });
        const all = toContents(GROUPED, change('first', 'second', 'both'));
        const reversed = buildAdoptEdits({ policy: GROUPED, places: places.toReversed(), resolve }, 'policy');
        for (const workload of ['web1', 'web2']) {
          expect(applyEdits(GROUPED, adopted, workload)).toEqual(all);
          expect(applyEdits(GROUPED, reversed, workload)).toEqual(all);
        }
      }),
    );
  });

  it('takes several workloads out of the policy in one edit, each with its own exception', () => {
    const [first, second] = [alter(1, { dport: '444' }), alter(0, { action: 'DROP' })];
    const places = [makePlace(NAMED, first), makePlace(NAMED, second, 'DROP', OTHER)];
    const adopted = buildAdoptEdits({ policy: NAMED, places, resolve }, 'exception');
    expect(adopted).toMatchObject({
      edits: [
        {
          policy_id: NAMED.id,
          policy: { definition: { targets: ['db1'] } },
          adopted_from: [WORKLOAD, OTHER].map(toFrom),
        },
        { policy: { definition: { targets: ['vmid:alpha/101'] } }, adopted_from: [toFrom(WORKLOAD)] },
        { policy: { definition: { targets: ['vmid:alpha/102'] } }, adopted_from: [toFrom(OTHER)] },
      ],
    });
    expect(applyEdits(NAMED, adopted)).toEqual(toContents(NAMED, first));
    expect(applyEdits(NAMED, adopted, 'web2')).toEqual(toContents(NAMED, second));
    expect(applyEdits(NAMED, adopted, 'db1')).toEqual(toContents(NAMED, (rules) => rules));
  });

  it('refuses the same rule with different content at two workloads, and names the second', () => {
    const first = makePlace(GROUPED, alter(1, { dport: '444' }));
    for (const change of [alter(1, { dport: '445' }), alter(1, { enable: 0 })]) {
      const places = [first, makePlace(GROUPED, change, 'DROP', OTHER)];
      expect(buildAdoptEdits({ policy: GROUPED, places, resolve }, 'policy')).toEqual({
        refusal: expect.stringMatching(/in another way/),
        place: 1,
      });
    }
  });

  it('never leaves the policy without workloads', () => {
    const policy = makePolicy(['web1', 'web2']);
    const places = [WORKLOAD, OTHER].map((workload) => makePlace(policy, (rules) => rules.slice(1), 'DROP', workload));
    expect(buildAdoptEdits({ policy, places, resolve }, 'exception')).toMatchObject({
      refusal: expect.stringMatching(/has no other workload/),
      place: 1,
    });
  });

  it.each<[string, Adopted, RegExp]>([
    [
      'a port as an exception where a group puts the policy',
      adopt(GROUPED, alter(1, { dport: '444' }), 'exception'),
      /through a group/,
    ],
    ['other addresses', adopt(NAMED, alter(1, { source: '10.1.0.0/16' }), 'policy'), /addresses of a rule/],
    ['a macro', adopt(NAMED, alter(1, { macro: 'SSH' }), 'policy'), /cannot express/],
    [
      'an ICMP type that stops nodes with nftables',
      adopt(NAMED, alter(1, { proto: 'icmpv6', dport: '', 'icmp-type': 'reject-route' }), 'policy'),
      /reject-route cannot be adopted.*Use destination-unreachable/,
    ],
    ['a copied rule', adopt(NAMED, (rules) => [...rules, ...rules.slice(0, 1)], 'policy'), /No policy can express/],
    [
      'a policy for both directions as an exception',
      adopt(
        { ...NAMED, definition: { ...NAMED.definition, direction: 'both' } },
        alter(0, { action: 'DROP' }),
        'exception',
      ),
      /both directions/,
    ],
    [
      'the first priority as an exception',
      adopt({ ...NAMED, priority: 0 }, alter(0, { action: 'DROP' }), 'exception'),
      /No priority/,
    ],
    [
      'another policy in between as an exception',
      adopt(NAMED, alter(0, { action: 'DROP' }), 'exception', 'DROP', [
        { ...NAMED, id: 'a', created_at: '2025-01-01T00:00:00Z' },
      ]),
      /No priority/,
    ],
  ])('refuses %s', (_, adopted, refusal) => {
    expect(adopted).toMatchObject({ refusal: expect.stringMatching(refusal) });
  });
});
