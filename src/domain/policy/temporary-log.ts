import { RULE_LOG_LEVELS } from './choices';
import type { DesiredGuest, DesiredRule, RuleContent } from './desired';

const [, ...LEVELS] = RULE_LOG_LEVELS;
/** Levels of the hypervisor at which matches of a rule are logged. */
export const TEMPORARY_LOG_LEVELS = LEVELS;
export type TemporaryLogLevel = (typeof TEMPORARY_LOG_LEVELS)[number];

/** Rules of a policy at a workload that are logged until the change that added them is confirmed or rolled back. */
export type TemporaryLog = {
  readonly policy_id: string;
  readonly workload_id: string;
  readonly level: TemporaryLogLevel;
  readonly rule_hashes: readonly string[];
};

/** What a rule matches and does, however it is logged and wherever it is. */
const printMatch = ({ log: _, ...content }: RuleContent): string => JSON.stringify(Object.entries(content).sort());

/**
 * The desired rules of a policy that it did not have before, by what they match and do. Another position, comment or version makes
 * no new rule. Rules with a log level of their own keep it, so they are left out.
 * @param applied its rules at the same workload before
 */
export function chooseLoggedRules(
  desired: readonly DesiredRule[],
  applied: readonly Pick<DesiredRule, 'content'>[],
): string[] {
  const known = new Map<string, number>();
  for (const { content } of applied) {
    const key = printMatch(content);
    known.set(key, (known.get(key) ?? 0) + 1);
  }
  return desired
    .filter(({ content }) => {
      const key = printMatch(content);
      const left = known.get(key) ?? 0;
      known.set(key, left - 1);
      return left <= 0 && content.log === undefined;
    })
    .map(({ rule_hash }) => rule_hash);
}

/** What guests require, with the rules marked that are logged for a time. */
export function markLoggedRules(
  guests: readonly DesiredGuest[],
  logs: readonly TemporaryLog[],
): readonly DesiredGuest[] {
  if (logs.length === 0) return guests;
  const levels = new Map(
    logs.flatMap(({ policy_id, workload_id, level, rule_hashes }) =>
      rule_hashes.map((hash) => [`${workload_id} ${policy_id} ${hash}`, level]),
    ),
  );
  const places = new Set(logs.map(({ workload_id }) => workload_id));
  return guests.map((guest) => {
    if (!places.has(guest.workload_id)) return guest;
    const rules = guest.rules.map((rule) => {
      const temporary_log = levels.get(`${guest.workload_id} ${rule.policy_id} ${rule.rule_hash}`);
      return temporary_log ? { ...rule, temporary_log } : rule;
    });
    return { ...guest, rules };
  });
}

/** What is written of a rule when it is created. */
export const getWrittenContent = ({ content, temporary_log }: DesiredRule): RuleContent =>
  temporary_log === undefined ? content : { ...content, log: temporary_log };
