import type { RuleCoverage } from '@/domain/coverage';
import { formatCount } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { createColumnHelper } from '@/ui/columns';
import { Sparkline } from '@/ui/sparkline';
import { Status } from '@/ui/status';
import { Elapsed } from '../../shared/elapsed';
import { securityRuleText } from '../../shared/security-rule-labels';
import { hitState } from './coverage-labels';

const make = createColumnHelper<RuleCoverage>();

function HitState({ rule, from }: { rule: RuleCoverage; from: string }) {
  const t = useT();
  const { tone, word, since } = hitState(rule, from);
  return (
    <Status tone={tone}>
      {t(word)}
      {since && (
        <>
          {' '}
          <Elapsed since={since} />
        </>
      )}
    </Status>
  );
}

const formatDailyHits = (t: Translate, rule: RuleCoverage) =>
  t('Daily hits of rule {n}, oldest first: {counts}', {
    n: rule.position + 1,
    counts: rule.daily.map(formatCount).join(', '),
  });

const position = (t: Translate) => make.text('position', t('No.'), (item) => String(item.position + 1), { width: 56 });
const state = (t: Translate, from: string) =>
  make.custom('state', t('Traffic'), (item) => <HitState rule={item} from={from} />, {
    width: 160,
    csv: (item) => t(hitState(item, from).word),
  });
const rule = (t: Translate) =>
  make.text('rule', t('Rule'), (item) => securityRuleText(t, item), {
    width: 260,
    grow: true,
  });
const hits = (t: Translate) => make.number('hits', t('Hit count'), (item) => item.hits);
const auditHits = (t: Translate) => make.number('audit_hits', t('Audit hits'), (item) => item.audit_hits);
const rest = (t: Translate) => [
  make.custom('daily', t('Per day'), (item) => <Sparkline values={item.daily} label={formatDailyHits(t, item)} />, {
    width: 120,
    csv: (item) => item.daily.join(' '),
  }),
  make.number('guests_hit', t('Workloads'), (item) => item.guests_hit),
  make.time('last_hit_at', t('Last hit'), (item) => item.last_hit_at),
];

/**
 * What rules decided, or what they would have, or both when there is something of both.
 * @param shown with the first day that is looked at
 */
export const coverageColumns = (t: Translate, shown: { hits: boolean; audit: boolean; from: string }) => [
  position(t),
  state(t, shown.from),
  rule(t),
  ...(shown.hits ? [hits(t)] : []),
  ...(shown.audit ? [auditHits(t)] : []),
  ...rest(t),
];
