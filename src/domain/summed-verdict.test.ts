import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ACTIONS, differs } from './flow-action';
import type { AuditSay, FlowVerdict } from './flow-verdict';
import { mergeVerdicts, type SummedVerdict, toSummedVerdict, VerdictTotal } from './summed-verdict';

const IDS = ['01890000-0000-7000-8000-00000000000a', '01890000-0000-7000-8000-00000000000b'];
const one: fc.Arbitrary<FlowVerdict> = fc.record({
  action: fc.constantFrom(...ACTIONS),
  rules_say: fc.option(
    fc.record({
      action: fc.constantFrom(...ACTIONS),
      kind: fc.constantFrom('rule' as const, 'default' as const),
      position: fc.constantFrom(null, 0, 1),
      workload_id: fc.constantFrom(...IDS),
      read_at: fc.constantFrom(null, '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
      ...{ detail: fc.constant(null), explanation: fc.constant(''), group: fc.constant(null) },
      ...{ group_position: fc.constant(null), policy_id: fc.constant(null), policy_name: fc.constant(null) },
      ...{ policy_version: fc.constant(null), rule_hash: fc.constant(null) },
    }),
  ),
  audit_say: fc.array(
    fc
      .record({
        action: fc.constantFrom('allowed' as const, 'dropped' as const),
        policy_id: fc.constantFrom(...IDS),
        by: fc.constantFrom('rule' as const, 'default' as const),
        rule_position: fc.constantFrom(null, 0),
        workload_id: fc.constantFrom(...IDS),
      })
      .map((say): AuditSay => ({ ...say, policy_name: `policy ${say.policy_id.slice(-1)}` })),
    { maxLength: 3 },
  ),
});
const sumVerdicts = (verdicts: readonly FlowVerdict[]): SummedVerdict =>
  verdicts.map(toSummedVerdict).reduce((a, b) => mergeVerdicts(a, b));

it('adds up to the same without an object for each flow, and changes none of them', () => {
  fc.assert(
    fc.property(
      fc.array(one, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (verdicts, again) => {
        const all = verdicts.map(toSummedVerdict);
        // Some of them are of several flows, and some come again.
        const [first = toSummedVerdict({ action: 'unknown', rules_say: null, audit_say: [] })] = all;
        const given = [
          ...all,
          mergeVerdicts(first, all.at(-1) ?? first),
          ...again.flatMap((at) => all[at % all.length] ?? []),
        ];
        const before = structuredClone(given);
        const [start = first, ...others] = given;
        const total = new VerdictTotal(start);
        for (const verdict of others) total.add(verdict);
        expect(total.finish()).toEqual(given.reduce((a, b) => mergeVerdicts(a, b)));
        expect(given).toEqual(before);
      },
    ),
  );
});

it('does not depend on the order, nor on how often a flow is merged', () => {
  fc.assert(
    fc.property(fc.array(one, { minLength: 2, maxLength: 6 }), fc.infiniteStream(fc.nat()), (verdicts, numbers) => {
      const shuffled = verdicts.map((verdict) => ({ verdict, at: numbers.next().value ?? 0 }));
      shuffled.sort((a, b) => a.at - b.at);
      const [first] = verdicts;
      const other = [...shuffled.map(({ verdict }) => verdict), ...(first ? [first] : [])];
      expect(sumVerdicts(other)).toEqual(sumVerdicts(verdicts));
    }),
  );
});

it('says what all flows share, else mixed, and never more', () => {
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 4 }), (verdicts) => {
      const sum = sumVerdicts(verdicts);
      const shared = <T>(values: readonly T[]) => (new Set(values).size === 1 ? values[0] : 'mixed');
      expect(sum.action).toBe(shared(verdicts.map(({ action }) => action)));
      const rules = verdicts.map(({ rules_say }) => rules_say);
      const known = rules.flatMap((say) => say ?? []);
      if (known.length === 0) expect(sum.rules_say).toBeNull();
      else {
        expect(sum.rules_say?.action).toBe(shared(rules.map((say) => say?.action)));
        const times = known.map(({ read_at }) => read_at ?? '');
        expect(sum.rules_say?.read_at ?? '').toBe(times.sort()[0]);
        const deciders = rules.map((say) => say && `${say.action} ${say.kind} ${say.position} ${say.workload_id}`);
        expect(sum.rules_say?.kind === 'mixed').toBe(new Set(deciders).size > 1);
      }
      expect(sum.differs).toBe(verdicts.some(({ action, rules_say }) => differs(action, rules_say?.action)));
      for (const { policy_id, action, partly } of sum.audit_say) {
        const found = verdicts.filter(({ audit_say }) =>
          audit_say.some((say) => say.policy_id === policy_id && say.action === action),
        );
        expect(found.length).toBeGreaterThan(0);
        expect(partly).toBe(found.length < verdicts.length);
      }
      const policies = new Set(
        verdicts.flatMap(({ audit_say }) => audit_say.map((say) => `${say.policy_id} ${say.action}`)),
      );
      if (verdicts.length > 1) expect(sum.audit_say).toHaveLength(policies.size);
    }),
  );
});
