import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../../firewall/evaluate';
import type { LiveCluster, LiveRule } from '../../firewall/live-state';
import type { Packet } from '../../firewall/packet';
import { prepareGuest } from '../../firewall/prepare-guest';
import { PLAIN_NODE, randomSource } from '../../firewall/random-state.fixture';
import { parseIp } from '../../net/ip-address';
import type { DesiredRule } from '../desired';
import { formatMarker } from '../marker';
import { applyStep } from './apply-step';
import type { DefaultGoal, GuestFilter, GuestIntent, Origin } from './guest-filter';
import { nextStep } from './next-step';
import { PACKETS } from './random-guest.fixture';
import { computeRestoration } from './restoration';
import { NOTHING_WRITTEN, recordStep, settleWritten } from './switch-changes';

const INSTANCE = 'inst1';
const VMID = 101;
const CLUSTER: LiveCluster = { firewall_enabled: true, aliases: {}, ipsets: {}, groups: {} };
const SET = { name: 'fabric-v4-00c0ffee00c0ffee', cidrs: ['10.0.0.0/28', '10.9.4.8'] };

const PEOPLE: Omit<LiveRule, 'pos'>[] = [
  { type: 'in', action: 'DROP', enable: 1, proto: 'tcp', dport: '8081', comment: 'by hand' },
  { type: 'in', action: 'REJECT', enable: 1, source: '10.0.0.2' },
  { type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '22' },
  { type: 'out', action: 'DROP', enable: 1, dest: '10.0.0.3' },
  { type: 'in', action: 'DROP', enable: 0, comment: 'switched off' },
];

const desiredRule = (policy_id: string, position: number, content: DesiredRule['content']): DesiredRule => {
  const rule_hash = `0000000${position}`;
  const comment = formatMarker({ instance: INSTANCE, policy_id, version: 1, rule_hash, vmid: VMID });
  return { policy_id, policy_version: 1, rule_position: position, rule_hash, content, comment };
};
const RULES: Record<string, DesiredRule[]> = {
  p1: [
    desiredRule('p1', 0, { type: 'in', action: 'ACCEPT', proto: 'tcp', dport: '85' }),
    desiredRule('p1', 1, { type: 'in', action: 'DROP', source: `+guest/${SET.name}` }),
  ],
  p2: [desiredRule('p2', 0, { type: 'out', action: 'REJECT', dest: '10.0.0.9' })],
};

type Lab = {
  state: GuestFilter;
  origin: Origin;
  walked: { state: GuestFilter; origin: Origin }[];
  defaults: { in: DefaultGoal; out: DefaultGoal };
};

/** A guest as people leave it, with the firewall on or off, and dormant content. */
function randomUnmanagedGuest(random: () => number): GuestFilter {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const enable = pick([undefined, 0, 1]);
  const policy_in = pick([undefined, 'ACCEPT', 'DROP', 'REJECT']);
  const policy_out = pick([undefined, 'ACCEPT', 'DROP']);
  return {
    rules: PEOPLE.filter(() => random() < 0.4).map((rule, pos) => ({ ...rule, pos })),
    options: {
      ...(enable !== undefined && { enable }),
      ...(policy_in && { policy_in }),
      ...(policy_out && { policy_out }),
      ...(random() < 0.3 && { dhcp: 0 }),
    },
    sets: random() < 0.3 ? { mine: [{ cidr: '10.0.0.5' }] } : {},
    nics: ['net0', 'net1'].map((name) => ({ name, firewall: random() < 0.5, editable: random() < 0.9 })),
    aliases: {},
  };
}

const intent = (
  lab: Lab,
  policy: string,
  rules: readonly DesiredRule[],
  drop: boolean,
  last: boolean,
): GuestIntent => ({
  instance: INSTANCE,
  vmid: VMID,
  placement: 'above',
  scope: new Set([policy]),
  rules,
  sets: rules.some(({ content }) => content.source?.startsWith('+guest/')) ? [SET] : [],
  order: ['p1', 'p2'],
  remove_strays: rules.length > 0,
  default_in: rules.length > 0 ? (drop ? 'drop' : 'keep') : lab.defaults.in,
  default_out: rules.length > 0 ? 'keep' : lab.defaults.out,
  switch_on: rules.length > 0,
  ...(last && { restore: lab.origin }),
});

/** Carries out an intent as the worker does, with notes of what it writes. */
function applyIntent(lab: Lab, goal: (lab: Lab) => GuestIntent): Lab {
  let { state, origin } = lab;
  const walked = [{ state, origin }];
  const { enable, policy_in } = state.options;
  // A default in effect is noted before a policy replaces it.
  const noted = !enable ? 'ACCEPT' : (policy_in ?? 'DROP');
  for (let steps = 0; ; steps++) {
    const step = nextStep(state, goal({ ...lab, origin }));
    if (!step) break;
    if (steps > 60) throw new Error('it does not end');
    origin = { ...origin, written: recordStep(origin.written, origin.baseline, state, step) };
    state = applyStep(state, step);
    walked.push({ state, origin });
  }
  const drops = goal(lab).default_in === 'drop' && noted !== 'DROP' && lab.defaults.in === 'keep';
  return {
    state,
    origin: { ...origin, written: settleWritten(origin.written, state) },
    walked,
    defaults: drops ? { ...lab.defaults, in: { restore: noted as 'ACCEPT' | 'REJECT' } } : lab.defaults,
  };
}

const applyPolicy = (lab: Lab, policy: string, drop: boolean) =>
  applyIntent(lab, (now) => intent(now, policy, RULES[policy] ?? [], drop, false));
const removePolicy = (lab: Lab, policy: string, last: boolean) =>
  applyIntent(lab, (now) => intent(now, policy, [], false, last));

function verdicts({ rules, options, sets, nics }: GuestFilter, packets: readonly Packet[] = PACKETS): string[] {
  const state = { cluster: CLUSTER, guest: { rules, options, ipsets: sets, aliases: {} }, node: PLAIN_NODE };
  return nics.flatMap(({ name, firewall }) => {
    const prepared = prepareGuest(state, { name, firewall, mac: '02:00:00:00:00:01' });
    return packets.map((packet) => evaluate(prepared, packet).verdict);
  });
}

const property = (check: (seed: number) => void, numRuns = getRunCount(200, 500)) =>
  fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), check), { numRuns });

/** A guest of people on which one or two policies were applied. */
function createManagedLab(seed: number): { before: GuestFilter; lab: Lab; policies: string[]; random: () => number } {
  const random = randomSource(seed);
  const before = randomUnmanagedGuest(random);
  const lab: Lab = {
    state: before,
    origin: { baseline: before, written: NOTHING_WRITTEN },
    walked: [],
    defaults: { in: 'keep', out: 'keep' },
  };
  const policies = random() < 0.5 ? ['p1'] : random() < 0.5 ? ['p1', 'p2'] : ['p2', 'p1'];
  const done = policies.reduce((now, policy) => applyPolicy(now, policy, random() < 0.4), lab);
  return { before, lab: done, policies, random };
}

/** Removes all policies, in any order. */
function removeAllPolicies({
  lab,
  policies,
  random,
}: Pick<ReturnType<typeof createManagedLab>, 'lab' | 'policies' | 'random'>): Lab {
  const order = random() < 0.5 ? policies : [...policies].reverse();
  return order.reduce((now, policy, at) => removePolicy(now, policy, at === order.length - 1), lab);
}

describe('removing the last policy of a guest', () => {
  it('restores rules, options, sets and flags exactly when no one edited them in between', () => {
    property((seed) => {
      const guest = createManagedLab(seed);
      expect(removeAllPolicies(guest).state).toEqual(guest.before);
    });
  });

  it('decides every packet as before or as in the end, after every write', () => {
    property((seed) => {
      const guest = createManagedLab(seed);
      const { walked } = removePolicy(
        guest.policies.slice(1).reduce((now, policy) => removePolicy(now, policy, false), guest.lab),
        guest.policies[0] ?? '',
        true,
      );
      const [first, last] = [walked[0], walked.at(-1)].map((step) => (step ? verdicts(step.state) : []));
      for (const [at, { state }] of walked.entries()) {
        const strange = verdicts(state).findIndex((verdict, i) => verdict !== first?.[i] && verdict !== last?.[i]);
        if (strange >= 0) throw new Error(`packet ${strange} after write ${at}`);
      }
    }, 300);
  });

  it('ends in the same state when the worker is killed after any write', () => {
    property((seed) => {
      const guest = createManagedLab(seed);
      const last = guest.policies[0] ?? '';
      const alone = guest.policies.slice(1).reduce((now, policy) => removePolicy(now, policy, false), guest.lab);
      const { walked, state } = removePolicy(alone, last, true);
      // What was noted before the kill stays noted; the next worker reads the guest and continues.
      for (const killed of walked) expect(removePolicy({ ...alone, ...killed }, last, true).state).toEqual(state);
      // The note of a write comes before the write.
      for (const [at, { origin }] of walked.slice(1).entries()) {
        const before = walked[at]?.state ?? state;
        expect(removePolicy({ ...alone, state: before, origin }, last, true).state).toEqual(state);
      }
    }, 200);
  });
});

const ip = (text: string) => {
  const address = parseIp(text);
  if (!address) throw new Error('not an address');
  return address;
};
const FROM_EDIT: Packet = {
  direction: 'in',
  source: ip('198.51.100.7'),
  destination: ip('10.0.0.1'),
  protocol: 6,
  source_port: 45_000,
  destination_port: 4711,
};

const EDITS: [name: string, edit: (state: GuestFilter, random: () => number) => GuestFilter][] = [
  [
    'a rule that accepts',
    (state) => ({
      ...state,
      rules: [
        { pos: 0, type: 'in', action: 'ACCEPT', enable: 1, source: '198.51.100.7' } as LiveRule,
        ...state.rules,
      ].map((rule, pos) => ({ ...rule, pos })),
    }),
  ],
  [
    'a rule that denies',
    (state) => ({
      ...state,
      rules: [
        { pos: 0, type: 'in', action: 'REJECT', enable: 1, source: '198.51.100.7' } as LiveRule,
        ...state.rules,
      ].map((rule, pos) => ({ ...rule, pos })),
    }),
  ],
  ['a default that denies', (state) => ({ ...state, options: { ...state.options, policy_in: 'REJECT' } })],
];

describe.each(EDITS)('someone adds %s while Fabric manages the guest', (_, edit) => {
  it('keeps the verdicts of the edit when the last policy leaves', () => {
    property((seed) => {
      const guest = createManagedLab(seed);
      const edited = edit(guest.lab.state, guest.random);
      fc.pre(!isDeepStrictEqual(edited, guest.lab.state));
      const before = verdicts(edited, [FROM_EDIT]);
      const after = removeAllPolicies({ ...guest, lab: { ...guest.lab, state: edited } }).state;
      expect(verdicts(after, [FROM_EDIT])).toEqual(before);
    }, 300);
  });
});

describe('why switches stay', () => {
  const on = (options: GuestFilter['options'], changes: Partial<GuestFilter> = {}): GuestFilter => ({
    rules: [],
    options,
    sets: {},
    nics: [{ name: 'net0', firewall: true, editable: true }],
    aliases: {},
    ...changes,
  });
  const off = on({}, { nics: [{ name: 'net0', firewall: false, editable: true }] });
  const written = { options: { enable: [1], policy_in: ['ACCEPT'] }, nics: ['net0'], overwritten: [] };
  const leaving = (baseline: GuestFilter | null): GuestIntent => {
    const lab: Lab = {
      state: off,
      origin: { baseline, written },
      walked: [],
      defaults: { in: 'keep', out: 'keep' },
    };
    return intent(lab, 'p1', [], false, true);
  };
  const live = { enable: 1, policy_in: 'ACCEPT' };

  it('names a state before that is not known, unless nothing is filtered', () => {
    expect(computeRestoration(on(live), leaving(null))).toMatchObject({ kind: 'left_on', reason: 'baseline_unknown' });
    expect(computeRestoration(on({}), leaving(null))).toEqual({ kind: 'none' });
  });

  it.each([
    ['rules', on(live, { rules: [{ pos: 0, type: 'in', action: 'DROP', enable: 1 }] })],
    ['sets', on(live, { sets: { mine: [{ cidr: '10.0.0.1' }] } })],
    ['aliases', on(live, { aliases: { mine: '10.0.0.1' } })],
    ['options', on({ ...live, macfilter: 0 })],
    ['options', on({ ...live, policy_in: 'DROP' })],
    ['interfaces', on(live, { nics: [...on(live).nics, { name: 'net1', firewall: true, editable: true }] })],
  ] as const)('names %s that someone changed', (edit, state) => {
    expect(computeRestoration(state, leaving(off))).toEqual({ kind: 'left_on', reason: 'edited_since', edits: [edit] });
  });

  it('does not count comments, disabled rules and options that change nothing', () => {
    const state = on(
      { ...live, macfilter: 1, policy_out: 'ACCEPT' },
      { rules: [{ pos: 0, type: 'in', action: 'DROP', enable: 0, comment: 'later' }] },
    );
    expect(computeRestoration(state, leaving(off))).toMatchObject({ kind: 'restore', nics: ['net0'] });
  });

  it('restores nothing while the guest has a rule of another policy', () => {
    const rules = [{ pos: 0, enable: 1, ...RULES.p2?.[0]?.content, comment: RULES.p2?.[0]?.comment } as LiveRule];
    expect(computeRestoration(on(live, { rules }), leaving(off))).toEqual({ kind: 'none' });
  });

  it('leaves a default unchanged that someone changed before Fabric wrote it again', () => {
    const step = { kind: 'set_options', changes: { policy_in: 'DROP' } } as const;
    const noted = recordStep(written, off, on({ ...live, policy_in: 'REJECT' }), step);
    expect(noted).toMatchObject({ overwritten: ['policy_in'] });
    const restore = { baseline: off, written: noted };
    expect(computeRestoration(on({ ...live, policy_in: 'DROP' }), { ...leaving(off), restore })).toMatchObject({
      kind: 'left_on',
      edits: ['options'],
    });
  });
});
