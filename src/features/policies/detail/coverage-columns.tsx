import type { RuleCoverage } from '@/domain/coverage';
import { formatCount } from '@/lib/format';
import { columnsOf } from '@/ui/columns';
import { Sparkline } from '@/ui/sparkline';
import { Status } from '@/ui/status';
import { Elapsed } from '../../shared/elapsed';
import { hitState } from './coverage-words';
import { securityRuleText } from './security-rule-text';

const make = columnsOf<RuleCoverage>();

function HitState({ rule, from }: { rule: RuleCoverage; from: string }) {
  const { tone, word, since } = hitState(rule, from);
  return (
    <Status tone={tone}>
      {word}
      {since && (
        <>
          {' '}
          <Elapsed since={since} />
        </>
      )}
    </Status>
  );
}

const course = (rule: RuleCoverage) =>
  `Hits of rule ${rule.position + 1} by day, the oldest first: ${rule.daily.map(formatCount).join(', ')}`;

const position = make.text('position', 'No.', (item) => String(item.position + 1), { width: 56 });
const state = (from: string) =>
  make.custom('state', 'Traffic', (item) => <HitState rule={item} from={from} />, {
    width: 160,
    csv: (item) => hitState(item, from).word,
  });
const rule = make.text('rule', 'Rule', securityRuleText, {
  width: 260,
  grow: true,
  render: (item) => <span title={securityRuleText(item)}>{securityRuleText(item)}</span>,
});
const hits = make.number('hits', 'Hits', (item) => item.hits, { width: 90 });
const auditHits = make.number('audit_hits', 'Would hit', (item) => item.audit_hits, { width: 100 });
const rest = [
  make.custom('daily', 'By day', (item) => <Sparkline values={item.daily} label={course(item)} />, {
    width: 120,
    csv: (item) => item.daily.join(' '),
  }),
  make.number('guests_hit', 'Guests', (item) => item.guests_hit, { width: 84 }),
  make.time('last_hit_at', 'Last hit', (item) => item.last_hit_at, { width: 120 }),
];

/**
 * What rules decided, or what they would have, or both when there is something of both.
 * @param shown with the first day that is looked at
 */
export const coverageColumns = (shown: { hits: boolean; audit: boolean; from: string }) => [
  position,
  state(shown.from),
  rule,
  ...(shown.hits ? [hits] : []),
  ...(shown.audit ? [auditHits] : []),
  ...rest,
];
