import { z } from 'zod';
import type { Condition, Fact } from './condition';

type Declared = {
  initial: number;
  min: number;
  max: number;
  /** The condition holds from the threshold on, or below it. */
  holds: 'above' | 'below';
  detail: (name: string, threshold: number) => string;
};

/** Conditions that compare a measure with a number that a rule chooses. */
export const THRESHOLDS = {
  workload_traffic_high: {
    initial: 1000,
    min: 1,
    max: 10_000_000,
    holds: 'above',
    detail: (name, limit) => `Traffic of ${name} is at least ${limit} Mbit/s (average of ten minutes).`,
  },
  cluster_traffic_high: {
    initial: 10_000,
    min: 1,
    max: 10_000_000,
    holds: 'above',
    detail: (name, limit) => `Traffic of ${name} is at least ${limit} Mbit/s (average of ten minutes).`,
  },
  drops_high: {
    initial: 60,
    min: 1,
    max: 10_000_000,
    holds: 'above',
    detail: (name, limit) =>
      `At least ${limit} connections a minute from or to ${name} are dropped or rejected (average of ten minutes).`,
  },
  coverage_low: {
    initial: 80,
    min: 1,
    max: 100,
    holds: 'below',
    detail: (name, limit) => `Less than ${limit} % of the running workloads of ${name} deny by default.`,
  },
} as const satisfies Partial<Record<Condition, Declared>>;
export type ThresholdCondition = keyof typeof THRESHOLDS;
export const THRESHOLD_CONDITIONS = Object.keys(THRESHOLDS) as ThresholdCondition[];

export const hasThreshold = (condition: Condition): condition is ThresholdCondition =>
  Object.hasOwn(THRESHOLDS, condition);

const within = ({ min, max }: { min: number; max: number }) =>
  z.number('A number.').min(min, `At least ${min}.`).max(max, `At most ${max}.`);

/** Numbers by condition: Mbit/s, connections per minute, percent. What is left out is at its default. */
export const Thresholds = z.strictObject({
  workload_traffic_high: within(THRESHOLDS.workload_traffic_high).optional(),
  cluster_traffic_high: within(THRESHOLDS.cluster_traffic_high).optional(),
  drops_high: within(THRESHOLDS.drops_high).optional(),
  coverage_low: within(THRESHOLDS.coverage_low).optional(),
});
export type Thresholds = z.output<typeof Thresholds>;

/**
 * Those of the facts that hold for a rule: measures beyond its thresholds, stated with the threshold. The measured value is not
 * part of the text, because that would change every minute.
 */
export function listThresholdBreaches(facts: readonly Fact[], thresholds: Thresholds): Fact[] {
  return facts.flatMap((fact) => {
    const { condition, measure } = fact;
    if (!hasThreshold(condition) || measure === undefined) return [fact];
    const declared: Declared = THRESHOLDS[condition];
    const limit = thresholds[condition] ?? declared.initial;
    const holds = declared.holds === 'above' ? measure >= limit : measure < limit;
    return holds ? [{ ...fact, detail: declared.detail(fact.object_name, limit) }] : [];
  });
}
