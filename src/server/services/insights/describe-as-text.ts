import type { InsightDecider } from '@/domain/insights';
import { countDecisions } from './count-decisions';
import { contextDescriber, type InsightFacts } from './describe-context';
import type { LiveGuestContext } from './live-guest';

/**
 * As `contextDescriber`, for very many flows: the fields `decision` and `context` as JSON without braces around, and how
 * many flows end how. There are few deciders, so each is put into words once.
 */
export function describeAsText(live: LiveGuestContext): {
  add: (flow: InsightFacts) => string;
  counts: ReturnType<typeof countDecisions>['counts'];
} {
  const contextFor = contextDescriber(live);
  const counter = countDecisions();
  const texts = new Map<InsightDecider, string>();
  const textOf = (decider: InsightDecider) => {
    let text = texts.get(decider);
    if (text === undefined) {
      text = JSON.stringify(decider);
      texts.set(decider, text);
    }
    return text;
  };
  return {
    add(flow) {
      const decided = contextFor(flow);
      counter.add(decided);
      const { logged, verdict, direction, decided_by, audit, conflict } = decided.context;
      const way = direction === null ? 'null' : `"${direction}"`;
      const policies = audit.length === 0 ? '[]' : JSON.stringify(audit);
      return `"decision":"${decided.decision}","context":{"logged":${logged},"verdict":"${verdict}","direction":${way},"decided_by":${textOf(decided_by)},"audit":${policies},"conflict":${conflict}}`;
    },
    counts: counter.counts,
  };
}
