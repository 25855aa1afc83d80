import type { InsightDecider } from '@/domain/insights';
import type { Board } from '../../enforcement/policies/board/board';
import { contextDescriber } from '../../enforcement/verdicts/describe-context';
import type { LiveGuestContext } from '../../enforcement/verdicts/live-guest';
import { flowVerdicts, type VerdictFacts } from '../flows/flow-verdicts';
import { countDecisions } from './count-decisions';

/**
 * As `contextDescriber`, for very many flows: the fields `rules_say`, `audit_say`, `decision` and `context` as JSON without braces around, and how
 * many flows end how. There are few deciders, so each is put into words once.
 */
export function describeAsText(
  board: Board,
  live: LiveGuestContext,
): {
  add: (flow: VerdictFacts) => string;
  counts: ReturnType<typeof countDecisions>['counts'];
} {
  const contextFor = contextDescriber(live);
  const verdictOf = flowVerdicts(board, live.reach, [live]);
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
      const { rules_say, audit_say } = verdictOf(flow);
      const says = `"rules_say":${JSON.stringify(rules_say)},"audit_say":${audit_say.length === 0 ? '[]' : JSON.stringify(audit_say)}`;
      const way = direction === null ? 'null' : `"${direction}"`;
      const policies = audit.length === 0 ? '[]' : JSON.stringify(audit);
      return `${says},"decision":"${decided.decision}","context":{"logged":${logged},"verdict":"${verdict}","direction":${way},"decided_by":${textOf(decided_by)},"audit":${policies},"conflict":${conflict}}`;
    },
    counts: counter.counts,
  };
}
