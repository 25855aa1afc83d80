import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getRunCount } from '@/test/thorough';
import { evaluate } from '../../firewall/evaluate';
import type { LiveCluster, LiveRule } from '../../firewall/live-state';
import { possibleVerdicts } from '../../firewall/oracle.fixture';
import { prepareGuest } from '../../firewall/prepare-guest';
import { PLAIN_NODE } from '../../firewall/random-state.fixture';
import { parseMarker } from '../marker';
import { applyStep } from './apply-step';
import type { GuestFilter, GuestIntent, PlanStep } from './guest-filter';
import { nextStep } from './next-step';
import { maxSteps, planGuest } from './plan-guest';
import { PACKETS, randomGuest } from './random-guest.fixture';

const CLUSTER: LiveCluster = {
  firewall_enabled: true,
  aliases: {},
  ipsets: {},
  groups: {
    web: [
      { pos: 0, type: 'in', action: 'ACCEPT', enable: 1, proto: 'tcp', dport: '85' },
      { pos: 1, type: 'out', action: 'DROP', enable: 1, proto: 'udp' },
    ],
  },
};
const MAC = '02:00:00:00:00:01';

const toLiveState = ({ rules, options, sets }: GuestFilter) => ({
  cluster: CLUSTER,
  guest: { rules, options, ipsets: sets, aliases: {} },
  node: PLAIN_NODE,
});

/** What happens to every packet at every interface. */
function verdicts(state: GuestFilter): string[] {
  return state.nics.flatMap(({ name, firewall }) => {
    const prepared = prepareGuest(toLiveState(state), { name, firewall, mac: MAC });
    return PACKETS.map((packet) => evaluate(prepared, packet).verdict);
  });
}

/** Every state from the first to the last. */
function walk(state: GuestFilter, intent: GuestIntent): GuestFilter[] {
  const { steps } = planGuest(state, intent);
  const states = [state];
  for (const step of steps) states.push(applyStep(states.at(-1) ?? state, step));
  return states;
}

const withoutPos = (rules: readonly LiveRule[]) => rules.map(({ pos: _, ...rule }) => rule);
const untouched = ({ rules }: GuestFilter, { scope, instance, vmid, remove_strays }: GuestIntent) =>
  withoutPos(rules).filter(({ comment }) => {
    const marker = parseMarker(comment);
    if (!marker) return true;
    if (marker.instance !== instance) return !remove_strays;
    if (marker.vmid !== vmid) return !remove_strays && !scope.has(marker.policy_id);
    return !scope.has(marker.policy_id);
  });

const RUNS = getRunCount(80, 400);
const property = (check: (seed: number) => void, numRuns = RUNS) =>
  fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), check), { numRuns });

describe('writing step by step', () => {
  it('decides every packet as before or as in the end, after every single write', () => {
    let intermediate = 0;
    property((seed) => {
      const { state, intent } = randomGuest(seed);
      const states = walk(state, intent);
      const [first, last] = [verdicts(state), verdicts(states.at(-1) ?? state)];
      for (const [at, between] of states.entries()) {
        const now = verdicts(between);
        const strange = now.findIndex((verdict, i) => verdict !== first[i] && verdict !== last[i]);
        if (strange >= 0) throw new Error(`after write ${at}: packet ${strange} is decided as ${now[strange]}`);
        intermediate += 1;
      }
    });
    // More than the first and the last of each. Eight on average, of which random guests may have half.
    expect(intermediate).toBeGreaterThan(2 * RUNS);
  });

  it('never denies what the old and the new rules allow, says the oracle as well', () => {
    property((seed) => {
      const { state, intent } = randomGuest(seed);
      const states = walk(state, intent);
      const net0 = (at: GuestFilter) => at.nics[0]?.firewall && at.options.enable;
      const allows = (at: GuestFilter, packet: (typeof PACKETS)[number]) => {
        if (!net0(at)) return true;
        const possible = possibleVerdicts(toLiveState(at), { name: 'net0', firewall: true, mac: MAC }, packet);
        return possible.size === 1 && possible.has('accept');
      };
      const last = states.at(-1) ?? state;
      const both = PACKETS.filter((_, i) => (i + seed) % 7 === 0).filter(
        (packet) => allows(state, packet) && allows(last, packet),
      );
      for (const between of states) for (const packet of both) expect(allows(between, packet)).toBe(true);
    }, 60);
  });

  it('plans the same writes as a caller who compares again after each of them', () => {
    property((seed) => {
      const { state, intent } = randomGuest(seed, true);
      const { steps, after } = planGuest(state, intent);
      const single: PlanStep[] = [];
      let now = state;
      for (let step = nextStep(now, intent); step; step = nextStep(now, intent)) {
        single.push(step);
        now = applyStep(now, step);
      }
      expect(steps).toEqual(single);
      expect(after).toEqual(now);
    });
  });

  it('ends, and has nothing to do the second time', () => {
    property((seed) => {
      const { state, intent } = randomGuest(seed, true);
      const { steps, after } = planGuest(state, intent);
      expect(steps.length).toBeLessThanOrEqual(maxSteps(state, intent));
      expect(nextStep(after, intent)).toBeNull();
    });
  });

  it('ends with exactly the desired rules in their order, enabled, above or below unmanaged rules', () => {
    property((seed) => {
      const { state, intent } = randomGuest(seed, true);
      const { after } = planGuest(state, intent);
      const ours = after.rules.filter(({ comment }) => {
        const marker = parseMarker(comment);
        return marker?.instance === intent.instance && intent.scope.has(marker.policy_id);
      });
      expect(withoutPos(ours)).toEqual(
        intent.rules.map(({ content, comment }) => ({ enable: 1, ...content, comment })),
      );
      const foreign = after.rules.filter((rule) => !parseMarker(rule.comment)).map(({ pos }) => pos);
      for (const { pos } of ours) {
        for (const place of foreign) {
          if (intent.placement === 'above') expect(pos).toBeLessThan(place);
          else expect(pos).toBeGreaterThan(place);
        }
      }
      for (const { name, cidrs } of intent.sets) {
        expect(new Set(after.sets[name]?.map(({ cidr }) => cidr))).toEqual(new Set(cidrs));
        expect(after.sets[name]?.some(({ nomatch }) => nomatch)).toBe(false);
      }
      if (intent.switch_on) {
        expect(after.options.enable).toBe(1);
        expect(after.nics.every(({ firewall, editable }) => firewall || !editable)).toBe(true);
      }
      if (intent.default_in === 'drop') expect(after.options.policy_in ?? 'DROP').toBe('DROP');
      if (!state.options.enable && intent.switch_on && intent.default_in === 'keep') {
        expect(after.options.policy_in).toBe('ACCEPT');
      }
      if (intent.default_in === 'leave') expect(after.options.policy_in).toBe(state.options.policy_in);
      if (intent.default_out === 'leave') expect(after.options.policy_out).toBe(state.options.policy_out);
    });
  });

  it('leaves unmanaged rules and rules of other policies unchanged, in their order, at every moment', () => {
    property((seed) => {
      const { state, intent } = randomGuest(seed, true);
      const before = untouched(state, intent);
      for (const between of walk(state, intent)) expect(untouched(between, intent)).toEqual(before);
    });
  });

  it('refers to no set that is not complete, and removes none that is referred to', () => {
    property((seed) => {
      const { state, intent } = randomGuest(seed, true);
      let now = state;
      for (const step of planGuest(state, intent).steps) {
        now = applyStep(now, step);
        if (step.kind === 'create_rule') {
          const { source, dest } = step.rule.content;
          const name = [source, dest].find((text) => text?.startsWith('+guest/'))?.slice(7);
          const set = intent.sets.find((candidate) => candidate.name === name);
          if (name) expect(now.sets[name]?.map(({ cidr }) => cidr).sort()).toEqual([...(set?.cidrs ?? [])].sort());
        }
        if (step.kind === 'delete_set') {
          for (const { source, dest } of now.rules) expect([source, dest]).not.toContain(`+guest/${step.name}`);
        }
      }
    });
  });
});

describe('the number of writes', () => {
  it('equals one per rule where no intermediate state is harmful', () => {
    const { intent } = randomGuest(1);
    const accept = (policy_id: string, rule_position: number, comment: string) => ({
      policy_id,
      policy_version: 1,
      rule_position,
      rule_hash: `0000000${rule_position}`,
      content: { type: 'in', action: 'ACCEPT', proto: 'tcp', dport: String(1000 + rule_position) } as const,
      comment: `[fabric i=inst1 p=${policy_id} v=1 r=0000000${rule_position} g=101]${comment}`,
    });
    const rules = [0, 1, 2, 3].map((position) => accept('p1', position, ''));
    const goal: GuestIntent = {
      ...intent,
      placement: 'above',
      scope: new Set(['p1']),
      order: ['p1'],
      rules,
      sets: [],
      default_in: 'keep',
      default_out: 'keep',
      switch_on: true,
    };
    const foreign: LiveRule = { pos: 0, type: 'in', action: 'DROP', enable: 1, comment: 'by hand' };
    const state: GuestFilter = { rules: [foreign], options: { enable: 1 }, sets: {}, nics: [] };
    expect(planGuest(state, goal).steps.map(({ kind }) => kind)).toEqual(Array(4).fill('create_rule'));
    const { after } = planGuest(state, goal);
    // An unmanaged rule on top of the managed ones: each managed rule moves once, and none is written again.
    const disturbed: GuestFilter = {
      ...after,
      rules: [...after.rules.slice(4), ...after.rules.slice(0, 4)].map((rule, pos) => ({ ...rule, pos })),
    };
    expect(planGuest(disturbed, goal).steps.map(({ kind }) => kind)).toEqual(Array(4).fill('move_rule'));
  });
});

describe('the work of a plan', () => {
  /** How often rules are read while so many are created, as the number of reads of one of their fields. */
  function countReads(total: number): number {
    let reads = 0;
    const { intent } = randomGuest(1);
    const rules = Array.from({ length: total }, (_, at) => {
      const hash = at.toString(16).padStart(8, '0');
      const content = { type: 'in', action: at % 2 ? 'DROP' : 'ACCEPT', proto: 'tcp', dport: String(at + 1) } as const;
      const comment = `[fabric i=inst1 p=p1 v=1 r=${hash} g=101]`;
      const rule = { policy_id: 'p1', policy_version: 1, rule_position: at, rule_hash: hash, content, comment };
      const get = () => {
        reads += 1;
        return 1;
      };
      return Object.defineProperty(rule, 'policy_version', { enumerable: true, get });
    });
    const goal = { ...intent, scope: new Set(['p1']), order: ['p1'], rules, sets: [], switch_on: false };
    planGuest({ rules: [], options: {}, sets: {}, nics: [] }, goal);
    return reads;
  }

  it('grows with the number of rules, not with its square', () => {
    expect(countReads(50)).toBeGreaterThan(50);
    expect(countReads(400)).toBeLessThanOrEqual(8 * countReads(50) + 100);
  });
});
