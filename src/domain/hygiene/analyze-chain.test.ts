import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { matchRule } from '../firewall/compile-rule';
import type { CompiledRule } from '../firewall/compiled-rule';
import { evaluate } from '../firewall/evaluate';
import type { LiveNic, LiveRule, LiveState } from '../firewall/live-state';
import type { Packet } from '../firewall/packet';
import { type PreparedGuest, prepareGuest } from '../firewall/prepare-guest';
import { PLAIN_NODE, RANDOM_NIC, randomSource, WAYS } from '../firewall/random-state.fixture';
import { placeKey } from '../firewall/rule-at';
import { type Box, buildBox } from '../firewall/space/box';
import { packetsIn, randomGuest, smallSpace } from '../firewall/space/small-space.fixture';
import type { DecidedBy, Verdict } from '../firewall/verdict';
import { analyzeChain, type RuleRole } from './analyze-chain';
import { buildRuleChain } from './rule-chain';

type Way = (typeof WAYS)[number];
type Claim = {
  readonly status: RuleRole['status'];
  readonly against: readonly number[];
  readonly example: Packet | null;
};

/** Rule sets of which everything is known, and as many more of which some may not be. */
const RULESETS = getRunCount(500, 5_000);

const isDecider = (by: DecidedBy, position: number) =>
  by.kind === 'rule'
    ? by.position === position
    : by.kind === 'unknown' && by.places.some((place) => place.position === position);

const without = (state: LiveState, position: number): LiveState => ({
  ...state,
  guest: { ...state.guest, rules: (state.guest.rules ?? []).filter(({ pos }) => pos !== position) },
});

/** More rules that overlap, so that many are shadowed or redundant. */
function withCopies(state: LiveState, random: () => number, isKnown: boolean): LiveState {
  const { rules } = state.guest;
  if (!rules || rules.length === 0) return state;
  const all = [...rules];
  for (let count = 0; count < 3; count++) {
    const original = rules[Math.floor(random() * rules.length)] as LiveRule;
    const { sport: _, ...rest } = original;
    const wider = isKnown ? rest : { ...rest, source: '+sdn/all' };
    const action = random() < 0.7 ? original.action : 'DROP';
    const copy = original.type === 'group' || random() < 0.5 ? original : { ...wider, action };
    all.splice(Math.floor(random() * (all.length + 1)), 0, copy);
  }
  return { ...state, guest: { ...state.guest, rules: all.map((rule, pos) => ({ ...rule, pos, enable: 1 })) } };
}

/** The state without what may be unknown about it. */
const makeKnown = ({ cluster, guest }: LiveState, random: () => number): LiveState => ({
  cluster: {
    ...cluster,
    firewall_enabled: true,
    groups: cluster.groups ?? {},
    ipsets: cluster.ipsets ?? {},
    vnets: {},
  },
  node: { ...PLAIN_NODE, options: { nftables: random() < 0.5 ? 1 : 0 } },
  guest: { ...guest, rules: guest.rules ?? [], options: { ...guest.options, enable: 1, ips: 0 } },
});

type Evaluated = Verdict & { readonly packet: Packet };

/** What the evaluator does with every packet of a small space, with a rule and without it. */
function readRole(before: readonly Evaluated[], after: PreparedGuest, position: number) {
  const found = { shadowed: true, redundant: true };
  for (const { packet, verdict, decided_by } of before) {
    if (found.shadowed && isDecider(decided_by, position)) found.shadowed = false;
    if (found.redundant && evaluate(after, packet).verdict !== verdict) found.redundant = false;
    if (!found.shadowed && !found.redundant) break;
  }
  return found;
}

/** Rules with the opposite action that decide packets of a rule, and are no exceptions from it. */
function readConflicts(rules: readonly CompiledRule[], evaluated: readonly Evaluated[], position: number): number[] {
  const places = rules.map(({ place }) => placeKey(place));
  const listParts = (at: number) =>
    rules.flatMap((rule, index) => (rule.place.position === at ? [{ rule, index }] : []));
  const own = listParts(position);
  const isMatched = (parts: typeof own, packet: Packet) => parts.some(({ rule }) => matchRule(rule, packet) === 'yes');
  const found = new Set<number>();
  for (const { packet, verdict, decided_by: by } of evaluated) {
    if (by.kind !== 'rule' || by.position === position || found.has(by.position)) continue;
    const first = places.indexOf(placeKey(by));
    const opposite = own.filter(
      ({ rule, index }) => index > first && (rule.action === 'accept') !== (verdict === 'accept'),
    );
    if (isMatched(opposite, packet)) found.add(by.position);
  }
  const isShadowed = !evaluated.some(({ decided_by }) => isDecider(decided_by, position));
  return [...found].filter((other) => {
    const others = listParts(other);
    return isShadowed || evaluated.some(({ packet }) => isMatched(others, packet) && !isMatched(own, packet));
  });
}

/** What is claimed of each rule of the guest's list, in each of the ways that it may be filtered. */
function listClaims(guest: PreparedGuest, direction: 'in' | 'out', space: Box): Map<number, Claim[]> {
  const claims = new Map<number, Claim[]>();
  for (const filter of guest.filters) {
    const chain = buildRuleChain(guest, filter, direction, space);
    const subjects = chain?.rules.map(({ place }) => `${place.position}`) ?? [];
    for (const [subject, { status, conflicts, example }] of chain ? analyzeChain(chain, subjects) : []) {
      const against = conflicts.map(({ rule }) => chain?.rules[rule]?.place.position ?? -1);
      claims.set(Number(subject), [...(claims.get(Number(subject)) ?? []), { status, against, example }]);
    }
  }
  return claims;
}

/** The state without the rules that are not fully known. */
function dropUnknown(state: LiveState, nic: LiveNic, direction: 'in' | 'out', space: Box): LiveState {
  const claims = listClaims(prepareGuest(state, nic), direction, space);
  const isUnknown = (list: readonly Claim[]) => list.some(({ status }) => status === 'unknown');
  return [...claims].flatMap(([position, list]) => (isUnknown(list) ? [position] : [])).reduce(without, state);
}

describe.each([
  ['known', true, RULESETS],
  ['partly unknown', false, RULESETS / 5],
])('analyzeChain: %s', (_, isKnown, least) => {
  it(`equals brute force on ${least} random rule sets`, () => {
    const seen = { shadowed: 0, redundant: 0, effective: 0, conflicts: 0 };
    let compared = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = randomSource(seed + 5);
        const drawn = randomGuest(seed);
        const nic: LiveNic = { ...drawn.nic, firewall: true };
        const [direction, family] = WAYS[Math.floor(random() * WAYS.length)] as Way;
        const box = smallSpace(random, family);
        const space: Box = { ...box, sources: { spans: box.sources.spans.slice(0, 2) } };
        const complete = withCopies(makeKnown(drawn.state, random), random, isKnown);
        const state = isKnown ? dropUnknown(complete, nic, direction, space) : complete;
        const guest = prepareGuest(state, nic);
        if (guest.enforcement.status === 'off') return;
        const evaluated = [...packetsIn(space, direction)].map((packet) => ({ packet, ...evaluate(guest, packet) }));
        // What holds is claimed where everything is known. What is claimed holds, whatever is unknown.
        const isCertain = isKnown && evaluated.every(({ verdict }) => verdict !== 'unknown');
        if (isCertain || !isKnown) compared++;
        for (const [position, list] of listClaims(guest, direction, space)) {
          const shadowed = list.every(({ status }) => status === 'shadowed');
          const redundant = list.every(({ status }) => status === 'shadowed' || status === 'redundant');
          seen[shadowed ? 'shadowed' : redundant ? 'redundant' : 'effective']++;
          if (!isCertain && !redundant) continue;
          const found = readRole(evaluated, prepareGuest(without(state, position), nic), position);
          const expected = isCertain ? found : { shadowed: shadowed && found.shadowed, redundant: found.redundant };
          if (shadowed !== expected.shadowed || redundant !== expected.redundant) {
            expect({ seed, position, shadowed, redundant }).toEqual({ seed, position, ...expected });
          }
          if (!isCertain) continue;
          const { rules } = guest.filters[0].index(direction, family);
          const [example] = list.flatMap((claim) => claim.example ?? []);
          const own = rules.filter(({ place }) => place.position === position);
          if (example) expect(own.some((rule) => matchRule(rule, example) === 'yes')).toBe(true);
          if (example && shadowed) expect(isDecider(evaluate(guest, example).decided_by, position)).toBe(false);
          const conflicts = readConflicts(rules, evaluated, position).sort((a, b) => a - b);
          const against = [...(list[0]?.against ?? [])].sort((a, b) => a - b);
          seen.conflicts += conflicts.length;
          if (`${against}` !== `${conflicts}`)
            expect({ seed, position, against }).toEqual({ seed, position, against: conflicts });
        }
      }),
      { numRuns: Math.ceil(least * 1.4), ...(RULESETS <= 500 && { seed: 19 }) },
    );
    expect(compared).toBeGreaterThanOrEqual(least);
    // A comparison that never meets one of these proves nothing about it.
    for (const [what, count] of Object.entries(seen)) {
      if (isKnown || what !== 'conflicts') expect(count).toBeGreaterThan(least / 40);
    }
  });
});

it('claims nothing about a rule when a later one that differs may match', () => {
  const rule = { type: 'in', enable: 1, proto: 'tcp', dport: '22' };
  const state = (source: string): LiveState => ({
    cluster: { firewall_enabled: true, groups: {}, ipsets: {}, aliases: {}, vnets: {} },
    node: PLAIN_NODE,
    guest: {
      options: { enable: 1 },
      rules: [
        { ...rule, pos: 0, action: 'ACCEPT', source: '10.0.0.1' },
        { ...rule, pos: 1, action: 'DROP', source },
        { ...rule, pos: 2, action: 'ACCEPT' },
      ],
      aliases: {},
      ipsets: {},
    },
  });
  const statuses = (source: string) => {
    const claims = listClaims(prepareGuest(state(source), RANDOM_NIC), 'in', buildBox({ family: 4 }));
    return [...claims.values()].flat().map(({ status }) => status);
  };
  expect(statuses('10.0.0.2')).toEqual(['redundant', 'effective', 'effective']);
  expect(statuses('+sdn/all')).toEqual(['effective', 'unknown', 'effective']);
});
