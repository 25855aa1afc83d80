import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PostureFacts, ratePosture } from './security-posture';

const NO_WORKLOADS = {
  default_deny: 0,
  rules_default_accept: 0,
  no_rules: 0,
  off: 0,
  unknown: 0,
  without_interface: 0,
};

const facts = (values: Partial<PostureFacts> = {}): PostureFacts => ({
  enforcement: { ...NO_WORKLOADS, default_deny: 10 },
  policies: { active: 4, stale: 0, partial: 0, unresolved: 0 },
  suspicious: { critical: 0, high: 0 },
  agents: { watched: 10, silent: 0, unwatched: 0 },
  ...values,
});

describe('the score', () => {
  it('equals 100 when nothing is wrong', () => {
    expect(ratePosture(facts())).toMatchObject({ score: 100, level: 'good', enforcement: { share: 1, points: 100 } });
  });

  it('returns unknown when no guest has a known filter state', () => {
    const { score, level, enforcement } = ratePosture(
      facts({ enforcement: { ...NO_WORKLOADS, unknown: 7, without_interface: 1 } }),
    );
    expect({ score, level, ...enforcement }).toMatchObject({ score: null, level: 'unknown', share: null, running: 8 });
  });

  it('counts only workloads that deny by default as enforced', () => {
    const { score, enforcement } = ratePosture(
      facts({ enforcement: { ...NO_WORKLOADS, default_deny: 1, rules_default_accept: 2, no_rules: 3, off: 4 } }),
    );
    expect(score).toBe(10);
    expect(enforcement).toMatchObject({ running: 10, enforced: 1, unenforced: 9, unknown: 0, share: 0.1 });
    expect(enforcement.protection).toEqual({
      default_deny: 1,
      rules_default_accept: 2,
      no_rules: 3,
      off: 4,
      unknown: 0,
    });
  });

  it('takes unread guests neither for filtering nor for not filtering', () => {
    const { score, enforcement } = ratePosture(
      facts({ enforcement: { ...NO_WORKLOADS, default_deny: 6, off: 2, unknown: 12, without_interface: 3 } }),
    );
    expect(score).toBe(75);
    expect(enforcement).toMatchObject({ running: 23, share: 0.75, points: 75 });
  });

  it('deducts points for problems, and every part reports its deduction', () => {
    const posture = ratePosture(
      facts({
        policies: { active: 1, stale: 1, partial: 2, unresolved: 0 },
        suspicious: { critical: 3, high: 9 },
        agents: { watched: 5, silent: 5, unwatched: 0 },
      }),
    );
    expect(posture.policies?.deduction).toBe(10);
    expect(posture.suspicious.deduction).toBe(14);
    expect(posture.agents.deduction).toBe(10);
    // 100 × 0.9 × 0.86 × 0.9
    expect(posture).toMatchObject({ score: 70, level: 'fair' });
  });

  it('shows a single weakness among thousands', () => {
    const many = facts({
      enforcement: { ...NO_WORKLOADS, default_deny: 4_999, no_rules: 1 },
      policies: { active: 999, stale: 0, partial: 1, unresolved: 0 },
      agents: { watched: 4_999, silent: 1, unwatched: 0 },
    });
    expect(ratePosture(many)).toMatchObject({
      score: 97,
      enforcement: { points: 99 },
      policies: { deduction: 1 },
      agents: { deduction: 1 },
    });
  });
});

const count = fc.nat(50);
const anyFacts: fc.Arbitrary<PostureFacts> = fc.record({
  enforcement: fc.record({
    default_deny: count,
    rules_default_accept: count,
    no_rules: count,
    off: count,
    unknown: count,
    without_interface: count,
  }),
  policies: fc.option(fc.record({ active: count, stale: count, partial: count, unresolved: count })),
  suspicious: fc.record({ critical: count, high: count }),
  agents: fc.record({ watched: count, silent: count, unwatched: count }),
});

it('deducts percentages from the points, stays between 0 and 100, and returns 0 only where nothing filters', () => {
  fc.assert(
    fc.property(anyFacts, (one) => {
      const { score, enforcement, policies, suspicious, agents } = ratePosture(one);
      if (enforcement.points === null) return expect(score).toBeNull();
      const factors = [policies?.deduction ?? 0, suspicious.deduction, agents.deduction].map((d) => 1 - d / 100);
      const product = factors.reduce((rest, factor) => rest * factor, enforcement.points);
      expect(Math.abs((score ?? Number.NaN) - product)).toBeLessThanOrEqual(1);
      expect(score).toBeLessThanOrEqual(100);
      expect(score === 0).toBe(enforcement.enforced === 0);
      if (factors.some((factor) => factor < 1)) expect(score).toBeLessThan(100);
    }),
  );
});

it('adds up: the points of all parts are the score, and only a part with a deduction takes some', () => {
  fc.assert(
    fc.property(anyFacts, (one) => {
      const { score, arithmetic, enforcement, policies, suspicious, agents } = ratePosture(one);
      if (score === null) return expect(arithmetic).toEqual([]);
      expect(arithmetic.reduce((sum, { points }) => sum + points, 0)).toBe(score);
      const [first, ...deductions] = arithmetic;
      expect(first).toEqual({ part: 'enforcement', weight: 100, percent: 0, points: enforcement.points });
      expect(deductions.map(({ part, percent }) => [part, percent])).toEqual([
        ...(policies ? [['policies', policies.deduction]] : []),
        ['suspicious', suspicious.deduction],
        ['agents', agents.deduction],
      ]);
      let before = first?.points ?? 0;
      for (const { weight, percent, points } of deductions) {
        expect(percent).toBeLessThanOrEqual(weight);
        expect(points).toBeLessThanOrEqual(0);
        if (percent === 0) expect(points).toBe(0);
        // A reader who computes a line from the one before is off by rounding at most.
        expect(Math.abs(-points - (before * percent) / 100)).toBeLessThanOrEqual(1.2);
        before += points;
      }
    }),
  );
});

it('never rises when a guest stops filtering, a policy or an agent becomes stale, or someone gets in', () => {
  fc.assert(
    fc.property(anyFacts, (one) => {
      const before = ratePosture(one).score;
      const { enforcement, policies, suspicious, agents } = one;
      const worse: PostureFacts[] = [
        { ...one, suspicious: { ...suspicious, critical: suspicious.critical + 1 } },
        ...(enforcement.default_deny > 0
          ? (['rules_default_accept', 'no_rules', 'off'] as const).map((name) => ({
              ...one,
              enforcement: {
                ...enforcement,
                default_deny: enforcement.default_deny - 1,
                [name]: enforcement[name] + 1,
              },
            }))
          : []),
        ...(policies && policies.active > 0
          ? [{ ...one, policies: { ...policies, active: policies.active - 1, stale: policies.stale + 1 } }]
          : []),
        ...(agents.watched > 0
          ? [{ ...one, agents: { ...agents, watched: agents.watched - 1, silent: agents.silent + 1 } }]
          : []),
      ];
      if (before !== null) for (const other of worse) expect(ratePosture(other).score).toBeLessThanOrEqual(before);
    }),
  );
});
