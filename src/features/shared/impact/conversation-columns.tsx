import type { RulesSay } from '@/domain/flow-verdict';
import type { ImpactConversation, ImpactEnd } from '@/domain/impact/impact';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { Tooltip } from '@/ui/tooltip';
import { WorkloadLink } from '../entity-links';
import { rulesText } from '../verdict-labels';
import { endName, formatService, OUTCOME_LABELS, ownerText, UNKNOWN_REASON_LABELS } from './impact-labels';

/** One end: the workload, if it is known, and the address; of several, their smallest known prefix. The owners are in the tooltip. */
function End({ end }: { end: ImpactEnd }) {
  const t = useT();
  const { workload, prefix, addresses, internal } = end;
  const count = addresses !== null && addresses > 1 ? t('{n, number} addresses', { n: addresses }) : null;
  return (
    <span
      className="flex min-w-0 items-baseline gap-1.5"
      title={[prefix, count, ownerText(end)].filter(Boolean).join(' · ')}
    >
      {workload && (
        <span className="max-w-3/5 shrink-0 truncate">
          <WorkloadLink id={workload.id} name={workload.name} />
        </span>
      )}
      <span className="mono min-w-0 truncate">{prefix}</span>
      {!workload && count && <span className="shrink-0 text-sm text-faint">{count}</span>}
      {!internal && <span className="shrink-0 text-sm text-faint">{t('external')}</span>}
    </span>
  );
}

/** The outcome; why it is unknown is in the tooltip. */
function OutcomeBadge({ row }: { row: ImpactConversation }) {
  const t = useT();
  const { word, tone } = OUTCOME_LABELS[row.outcome];
  const badge = <Badge tone={tone}>{t(word)}</Badge>;
  if (row.unknown_reason === null) return badge;
  return (
    <Tooltip content={t(UNKNOWN_REASON_LABELS[row.unknown_reason])} openOnTap>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reason must be reachable by key. */}
      <span tabIndex={0} className="inline-flex min-w-0 rounded-sm">
        {badge}
      </span>
    </Tooltip>
  );
}

function Deciding({ say }: { say: RulesSay | null }) {
  const t = useT();
  return (
    <span className="block truncate" title={say?.explanation}>
      {rulesText(t, say)}
    </span>
  );
}

const make = createColumnHelper<ImpactConversation>();

export const conversationColumns = (t: Translate) => [
  make.custom('client', t('Client'), ({ client }) => <End end={client} />, {
    sortable: true,
    width: 170,
    grow: true,
    csv: ({ client }) => endName(client),
  }),
  make.custom('server', t('Server'), ({ server }) => <End end={server} />, {
    sortable: true,
    width: 170,
    grow: true,
    csv: ({ server }) => endName(server),
  }),
  make.mono('port', t('Service'), formatService, { sortable: true, width: 90 }),
  make.custom('outcome', t('Outcome'), (row) => <OutcomeBadge row={row} />, {
    sortable: true,
    width: 134,
    csv: ({ outcome }) => t(OUTCOME_LABELS[outcome].word),
  }),
  make.custom('before', t('Before'), ({ before }) => <Deciding say={before} />, {
    width: 132,
    csv: ({ before }) => rulesText(t, before),
  }),
  make.custom('after', t('After'), ({ after }) => <Deciding say={after} />, {
    width: 140,
    csv: ({ after }) => rulesText(t, after),
  }),
  make.number('bytes', t('Bytes'), ({ bytes }) => bytes, { sortable: true, format: formatBytes }),
  make.time('last_seen_at', t('Last seen'), ({ last_seen_at }) => last_seen_at, { sortable: true }),
  make.text('client_owner', t('Owner of client'), ({ client }) => ownerText(client), {
    hidden: true,
    width: 150,
  }),
  make.text('server_owner', t('Owner of server'), ({ server }) => ownerText(server), {
    hidden: true,
    width: 150,
  }),
  make.mono('client_prefix', t('Client addresses'), ({ client }) => client.prefix, { hidden: true }),
  make.mono('server_prefix', t('Server addresses'), ({ server }) => server.prefix, { hidden: true }),
  make.number('flows', t('Flows'), ({ flows }) => flows, { sortable: true, hidden: true }),
  make.number('packets', t('Packets'), ({ packets }) => packets, { hidden: true }),
  make.text('unknown_reason', t('Reason'), ({ unknown_reason: reason }) => reason && t(UNKNOWN_REASON_LABELS[reason]), {
    hidden: true,
    width: 220,
  }),
];
