import type { FlowGroup, FlowGrouping } from '@/domain/flow/flow-sums';
import { formatBytes } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import type { Column } from '@/ui/table/column';
import { Missing } from '@/ui/values';
import { NodeLink, WorkloadLink } from '../shared/entity-links';
import { FlowVerdictCell } from '../shared/flow-verdict-cell';
import { FlowTime } from '../shared/flows/flow-cells';
import { getDecisionLabel } from '../shared/flows/flow-labels';
import { rulesText, WOULD_LABELS } from '../shared/verdict-labels';

const make = createColumnHelper<FlowGroup>();

const formatEnd = (group: FlowGroup, end: 'source' | 'destination') =>
  [group[`${end}_workload_name`], group[`${end}_label`]].filter(Boolean).join(' ') || null;

function End({ group, end }: { group: FlowGroup; end: 'source' | 'destination' }) {
  const t = useT();
  const id = group[`${end}_workload_id`];
  const name = group[`${end}_workload_name`];
  const label = group[`${end}_label`];
  if (!id && !label) return <Missing label={t('Unknown')} />;
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      {id && <span className="min-w-0 truncate">{name ? <WorkloadLink id={id} name={name} /> : t('a workload')}</span>}
      {label && <span className={id ? 'shrink-0 text-muted' : 'truncate'}>{label}</span>}
    </span>
  );
}

const formatService = ({ protocol, port }: FlowGroup) => (port === null ? protocol : `${protocol}/${port}`);

/** The group in a few words: `web-01 → pg-01`, `tcp/443`. */
export function groupText(t: Translate, group: FlowGroup): string {
  if (group.protocol !== null) return formatService(group) ?? '';
  const ends = (['source', 'destination'] as const).filter(
    (end) => group[`${end}_workload_id`] !== null || group[`${end}_label`] !== null,
  );
  return ends.map((end) => formatEnd(group, end) ?? t('a workload')).join(' → ');
}

const makeEnd = (side: 'source' | 'destination', header: string) =>
  make.custom(side, header, (group) => <End group={group} end={side} />, {
    width: 240,
    grow: true,
    csv: (group) => formatEnd(group, side),
  });

const makeSubjects = (t: Translate) => ({
  service: make.text('service', t('Service'), formatService, {
    width: 180,
    grow: true,
    render: (group) => <span className="mono">{formatService(group)}</span>,
  }),
  decision: make.custom(
    'decision',
    t('Firewall log'),
    (group) => {
      if (group.decision === null) return <Missing />;
      const { word, tone } = getDecisionLabel(group.decision);
      return <Badge tone={tone}>{t(word)}</Badge>;
    },
    { width: 180, grow: true, csv: (group) => group.decision },
  ),
  node: make.text('node_name', t('Node'), (group) => group.node_name, {
    width: 180,
    grow: true,
    render: (group) => <NodeLink id={group.node_id} name={group.node_name} />,
  }),
});

const makeSums = (t: Translate, ofConversations: boolean) => [
  make.custom('action', t('Action'), (group) => <FlowVerdictCell verdict={group} />, {
    width: 210,
    csv: (group) => group.action,
  }),
  make.text('rules_say', t('Rules say'), (group) => rulesText(t, group.rules_say), { hidden: true, width: 220 }),
  make.text(
    'audit_say',
    t('Audit mode'),
    (group) => group.audit_say.map(({ action }) => t(WOULD_LABELS[action].label)).join(', '),
    { hidden: true, width: 160 },
  ),
  make.number('bytes', t('Bytes'), (group) => group.bytes, { sortable: true, format: formatBytes }),
  make.number('packets', t('Packets'), (group) => group.packets, { sortable: true }),
  make.number('flows', ofConversations ? t('New conversations') : t('New flows'), (group) => group.flows, {
    sortable: true,
  }),
  make.custom('last_seen_at', t('Last seen'), (group) => <FlowTime at={group.last_seen_at} />, {
    sortable: true,
    sortFirst: 'desc',
    width: 112,
    csv: (group) => group.last_seen_at,
  }),
];

/** The columns of each grouping: what the groups are, then their totals. With a filter as text, conversations are counted. */
export function groupColumns(
  t: Translate,
  ofConversations: boolean,
): Record<FlowGrouping, readonly Column<FlowGroup>[]> {
  const { service, decision, node } = makeSubjects(t);
  const sums = makeSums(t, ofConversations);
  return {
    workloads: [makeEnd('source', t('From')), makeEnd('destination', t('To')), ...sums],
    source: [makeEnd('source', t('Source')), ...sums],
    destination: [makeEnd('destination', t('Destination')), ...sums],
    service: [service, ...sums],
    decision: [decision, ...sums],
    node: [node, ...sums],
  };
}
