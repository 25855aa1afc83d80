import type { EscapedConversation } from '@/domain/enforcement-chain/escaped';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { Missing, Mono } from '@/ui/values';
import { ESCAPE_LABELS, ESCAPE_MEANINGS, FIX_LABELS, LINK_LABELS } from '../shared/enforcement-labels';
import { ClusterLink, PolicyLink, WorkloadLink } from '../shared/entity-links';
import { endText } from '../shared/flows/flow-labels';

const make = createColumnHelper<EscapedConversation>();

/** `tcp/5432 postgresql`, or the protocol alone. */
const formatService = ({ protocol, server_port: port, service_name: name }: EscapedConversation) =>
  [port === null ? protocol : `${protocol}/${port}`, name].filter(Boolean).join(' ');

const formatReason = (t: Translate, { reason, broken_link: link }: EscapedConversation) =>
  link ? `${t(ESCAPE_LABELS[reason])}: ${t(LINK_LABELS[link])}` : t(ESCAPE_LABELS[reason]);

const formatRemedy = (t: Translate, { remedy }: EscapedConversation) => remedy && t(FIX_LABELS[remedy.action]);

const directionText = (t: Translate, { direction }: EscapedConversation) =>
  direction === 'in' ? t('Inbound') : t('Outbound');

/** The peer, with the arrow of the direction in which the connection was opened. */
function Peer({ of, text }: { of: EscapedConversation; text: string }) {
  const { direction, peer } = of;
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <span aria-hidden className="text-faint">
        {direction === 'in' ? '←' : '→'}
      </span>
      <span className="sr-only">{text}</span>
      {peer.workload && (
        <span className="min-w-0 shrink truncate">
          <WorkloadLink id={peer.workload.id} name={peer.workload.name} />
        </span>
      )}
      <Mono>{peer.ip}</Mono>
    </span>
  );
}

/** Columns of the list of escaped conversations. */
export const escapedColumns = (t: Translate) => [
  make.time('last_seen_at', t('Last seen'), (one) => one.last_seen_at, { sortable: true }),
  make.text('workload_name', t('Workload'), (one) => one.workload_name, {
    width: 120,
    render: (one) => <WorkloadLink id={one.workload_id} name={one.workload_name} />,
  }),
  make.custom('peer', t('Peer'), (one) => <Peer of={one} text={directionText(t, one)} />, {
    width: 180,
    csv: ({ peer }) => (peer.workload ? `${peer.workload.name} ${peer.ip}` : peer.ip),
  }),
  make.mono('service', t('Service'), formatService, { width: 130 }),
  make.text('denied_by', t('Denied by'), (one) => [one.policy?.name, one.denied_by].filter(Boolean).join(', '), {
    width: 160,
    render: ({ policy, denied_by: rule }) =>
      policy ? (
        <>
          <PolicyLink id={policy.id} name={policy.name} /> <span className="text-muted">{rule}</span>
        </>
      ) : (
        rule || <Missing />
      ),
  }),
  make.text('reason', t('Likely reason'), (one) => formatReason(t, one), {
    width: 200,
    render: (one) => <span title={t(ESCAPE_MEANINGS[one.reason])}>{formatReason(t, one)}</span>,
  }),
  make.text('remedy', t('What to do'), (one) => formatRemedy(t, one), {
    width: 200,
    grow: true,
    render: (one) => <span title={formatRemedy(t, one) ?? undefined}>{formatRemedy(t, one) ?? <Missing />}</span>,
  }),
  make.text('cluster_name', t('Cluster'), (one) => one.cluster_name, {
    hidden: true,
    width: 120,
    render: (one) => <ClusterLink id={one.cluster_id} name={one.cluster_name} />,
  }),
  make.text('direction', t('Direction'), (one) => directionText(t, one), { hidden: true, width: 110 }),
  make.mono('nic', t('Interface'), (one) => one.nic, { hidden: true, width: 100 }),
  make.mono('client', t('Client'), (one) => endText(one.client_ip, one.client_port), { hidden: true }),
  make.mono('server', t('Server'), (one) => endText(one.server_ip, one.server_port), { hidden: true }),
  make.time('first_seen_at', t('First seen'), (one) => one.first_seen_at, { hidden: true, sortable: true }),
];
