import { z } from 'zod';
import { PROTECTIONS, type Protection } from '../firewall/protection';

export const POSTURE_LEVELS = ['good', 'fair', 'poor', 'unknown'] as const;

/** Percent of the points that each weakness can cost. */
const MOST_FOR_POLICIES = 20;
const MOST_FOR_SUSPICIOUS = 30;
const MOST_FOR_AGENTS = 20;
const FIRST_CRITICAL = 10;
const FURTHER_CRITICAL = 2;

/** Running guests by their protection. */
const Enforcement = z.object({
  running: z.int(),
  /** Every interface denies inbound packets by default. */
  enforced: z.int(),
  /** At least one interface certainly does not: its firewall is off, or its default accepts. */
  unenforced: z.int(),
  /** It could not be read whether all of them do. Neither of the two. */
  unknown: z.int(),
  /** The same by the worst protection of their interfaces. `default_deny` is `enforced`. */
  protection: z.object(Object.fromEntries(PROTECTIONS.map((name) => [name, z.int()])) as Record<Protection, z.ZodInt>),
  /** Without a network interface: nothing to enforce. */
  without_interface: z.int(),
  /** `enforced` of those that are known, 0 to 1; null when none is known. */
  share: z.number().nullable(),
  points: z.int().nullable(),
});

/** Policies that are enforced, or of which something is live. */
const Policies = z.object({
  judged: z.int(),
  active: z.int(),
  stale: z.int(),
  partial: z.int(),
  unresolved: z.int(),
  deduction: z.int(),
});

const Suspicious = z.object({ critical: z.int(), high: z.int(), deduction: z.int() });

/** Running guests by whether their traffic is monitored. */
const Agents = z.object({
  running: z.int(),
  watched: z.int(),
  /** On a node whose agent misses heartbeats. */
  silent: z.int(),
  /** On a node without an agent, on one that never reported, or on no known node. */
  unwatched: z.int(),
  deduction: z.int(),
});

export const POSTURE_PARTS = ['enforcement', 'policies', 'suspicious', 'agents'] as const;

/** One line of the sum that the score is. */
const PosturePoints = z.object({
  part: z.enum(POSTURE_PARTS),
  /** The most that it can count: points of `enforcement`, percent of the points before it of all others. */
  weight: z.int(),
  /** Percent that it deducts from the points before it; 0 for `enforcement`. */
  percent: z.int(),
  /** What it adds (`enforcement`) or deducts (0 or less). */
  points: z.int(),
});
export type PosturePoints = z.output<typeof PosturePoints>;

/**
 * A score from 0 to 100 and everything it is made of: the share of running guests that deny inbound packets by
 * default, reduced by policies that are not enforced as desired, critical suspicious traffic and stale agents. Each
 * of these deducts some percent (`deduction`) of what the others left.
 */
export const SecurityPosture = z.object({
  /** null: of no running guest the protection is known. */
  score: z.int().nullable(),
  level: z.enum(POSTURE_LEVELS),
  enforcement: Enforcement,
  /** null: not visible to the user; it then deducts nothing. */
  policies: Policies.nullable(),
  suspicious: Suspicious,
  agents: Agents,
  /** The score as a sum: `points` of all lines add up to it. Empty without a score; without parts that you may not see. */
  arithmetic: z.array(PosturePoints),
});
export type SecurityPosture = z.output<typeof SecurityPosture>;

export type PostureFacts = {
  enforcement: Record<Protection | 'without_interface', number>;
  policies: Pick<z.output<typeof Policies>, 'active' | 'stale' | 'partial' | 'unresolved'> | null;
  suspicious: { critical: number; high: number };
  agents: { watched: number; silent: number; unwatched: number };
};

/** A weakness that is there costs at least a percent: rounding hides none. */
const cost = (most: number, share: number) => (share <= 0 ? 0 : Math.max(1, Math.round(most * share)));

/** Only a whole is 100, and only nothing is 0. */
const toPercent = (share: number) =>
  share <= 0 ? 0 : share >= 1 ? 100 : Math.min(99, Math.max(1, Math.round(100 * share)));

const toLevel = (score: number | null): SecurityPosture['level'] =>
  score === null ? 'unknown' : score >= 90 ? 'good' : score >= 60 ? 'fair' : 'poor';

/**
 * The score as lines that add up to it. Each deduction is a percentage of what the ones before left; what is shown of it is the
 * difference of two rounded numbers, so that no rounding is left over.
 */
function applyDeductions(points: number | null, deductions: readonly Omit<PosturePoints, 'points'>[]): PosturePoints[] {
  if (points === null) return [];
  let exact = points;
  let shown = points;
  return [
    { part: 'enforcement', weight: 100, percent: 0, points },
    ...deductions.map((line) => {
      exact *= 1 - line.percent / 100;
      const next = toPercent(exact / 100);
      const taken = next - shown;
      shown = next;
      return { ...line, points: taken };
    }),
  ];
}

/** Puts the parts together. What is unknown counts neither for nor against. */
export function ratePosture(facts: PostureFacts): SecurityPosture {
  const { without_interface, ...protection } = facts.enforcement;
  const { default_deny: enforced, unknown } = protection;
  const unenforced = protection.rules_default_accept + protection.no_rules + protection.off;
  const known = enforced + unenforced;
  const share = known === 0 ? null : enforced / known;
  const points = share === null ? null : toPercent(share);
  const judged = facts.policies
    ? facts.policies.active + facts.policies.stale + facts.policies.partial + facts.policies.unresolved
    : 0;
  const policies = facts.policies && {
    judged,
    ...facts.policies,
    deduction:
      judged === 0
        ? 0
        : cost(
            MOST_FOR_POLICIES,
            (facts.policies.stale + facts.policies.unresolved + facts.policies.partial / 2) / judged,
          ),
  };
  const { critical, high } = facts.suspicious;
  const suspicious = {
    critical,
    high,
    deduction: critical === 0 ? 0 : Math.min(MOST_FOR_SUSPICIOUS, FIRST_CRITICAL + FURTHER_CRITICAL * (critical - 1)),
  };
  const { watched, silent, unwatched } = facts.agents;
  const running = watched + silent + unwatched;
  const agents = {
    running,
    watched,
    silent,
    unwatched,
    deduction: running === 0 ? 0 : cost(MOST_FOR_AGENTS, silent / running),
  };
  const arithmetic = applyDeductions(points, [
    ...(policies ? [{ part: 'policies' as const, weight: MOST_FOR_POLICIES, percent: policies.deduction }] : []),
    { part: 'suspicious', weight: MOST_FOR_SUSPICIOUS, percent: suspicious.deduction },
    { part: 'agents', weight: MOST_FOR_AGENTS, percent: agents.deduction },
  ]);
  const score = points === null ? null : arithmetic.reduce((sum, line) => sum + line.points, 0);
  return {
    score,
    level: toLevel(score),
    enforcement: {
      running: known + unknown + without_interface,
      enforced,
      unenforced,
      unknown,
      protection,
      without_interface,
      share,
      points,
    },
    policies,
    suspicious,
    agents,
    arithmetic,
  };
}
