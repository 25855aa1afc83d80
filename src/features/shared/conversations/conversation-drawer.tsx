'use client';
import type { Field } from '@/domain/filter-language/values';
import type { Conversation } from '@/domain/flow/conversation';
import { formatBytes, formatDateTime, formatDuration } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { Drawer } from '@/ui/drawer';
import { Link } from '@/ui/link';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { RelativeTime } from '@/ui/values';
import { ClusterLink, NodeLink } from '../entity-links';
import { flowVerdictProperties } from '../flow-verdict-properties';
import { packetsText } from '../flows/flow-labels';
import { loadTab } from '../load-tab';
import { DraftButtons } from '../policy-draft/draft-actions';
import { ReachLink } from '../traffic-links';
import {
  ConversationEnd,
  formatConversation,
  formatConversationService,
  REASON_LABELS,
  toConversationSeed,
} from './conversation-end';
import { replaceValues } from './text-fields';

const ConversationWhy = loadTab<{ conversationId: string }>(
  () => import('./conversation-why').then((module) => module.ConversationWhy),
  'h-40',
);

type Props = {
  conversation: Conversation | null;
  /** The filter as text, which the buttons change. */
  filter: string;
  range: { since: string; until?: string };
  onClose: () => void;
  onFilter: (filter: string) => void;
};

/** Everything that is known about one conversation, the way to its flows, and to similar conversations. */
export function ConversationDrawer({ conversation, onClose, ...rest }: Props) {
  const t = useT();
  return (
    <Drawer
      open={conversation !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={conversation ? `${conversation.client.ip} → ${conversation.server.ip}` : t('Conversation')}
      description={conversation ? formatConversationService(conversation) : undefined}
    >
      {conversation && <Content conversation={conversation} onClose={onClose} {...rest} />}
    </Drawer>
  );
}

const Time = ({ at }: { at: string }) => (
  <>
    {formatDateTime(at)} (<RelativeTime at={at} />)
  </>
);

function Content({
  conversation,
  filter,
  range,
  onFilter,
  onClose,
}: Omit<Props, 'conversation'> & { conversation: Conversation }) {
  const t = useT();
  const { client, server, service, ended_at } = conversation;
  const name = formatConversation(conversation);
  const serviceFilter = service.port === null ? service.protocol : `${service.protocol}/${service.port}`;
  const only = (field: Field, value: string) => onFilter(replaceValues(filter, field, [value]));
  return (
    <div className="flex flex-col gap-6">
      <Properties
        items={[
          { label: t('Client'), value: <ConversationEnd end={client} /> },
          { label: t('Server'), value: <ConversationEnd end={server} /> },
          { label: t('Service'), value: formatConversationService(conversation) },
          ...flowVerdictProperties(t, conversation),
          { label: t('Reason'), value: t(REASON_LABELS[conversation.reason]) },
          { label: t('First seen'), value: <Time at={conversation.first_seen_at} /> },
          { label: t('Last seen'), value: <Time at={conversation.last_seen_at} /> },
          { label: t('Ended at'), value: ended_at === null ? t('Not ended') : <Time at={ended_at} /> },
          { label: t('Duration'), value: formatDuration(conversation.duration_ms) },
          {
            label: t('Cluster'),
            value: conversation.cluster_name && (
              <ClusterLink id={conversation.cluster_id} name={conversation.cluster_name} />
            ),
          },
          {
            label: t('Nodes'),
            value: (
              <span className="flex flex-wrap gap-x-2">
                {conversation.nodes.map(({ id, name: node }) => (
                  <NodeLink key={id} id={id} name={node} />
                ))}
              </span>
            ),
            hint: t('Each reported it. It counts once.'),
          },
        ]}
      />
      <Directions conversation={conversation} />
      <ConversationWhy conversationId={conversation.id} />
      <div className="flex flex-wrap gap-2">
        <Link
          className={buttonClass({ size: 'sm' })}
          href={paths.flows({ view: 'flows', conversation_id: conversation.id, ...range })}
          onClick={onClose}
        >
          {t('Show its flows')}
        </Link>
        <ReachLink
          from={[client.ip]}
          to={[server.ip]}
          protocol={service.protocol}
          ports={service.port === null ? null : String(service.port)}
        />
        <DraftButtons seed={toConversationSeed(conversation)} name={name} />
        <Button size="sm" onClick={() => only('client', client.ip)}>
          {t('Only client {address}', { address: client.ip })}
        </Button>
        <Button size="sm" onClick={() => only('server', server.ip)}>
          {t('Only server {address}', { address: server.ip })}
        </Button>
        <Button size="sm" onClick={() => only('service', serviceFilter)}>
          {t('Only service {service}', { service: serviceFilter })}
        </Button>
      </div>
    </div>
  );
}

/** What went in each direction. Not counted is not zero. */
function Directions({ conversation }: { conversation: Conversation }) {
  const t = useT();
  const rows = [
    { label: t('Client to server'), bytes: conversation.client_bytes, packets: conversation.client_packets },
    { label: t('Server to client'), bytes: conversation.server_bytes, packets: conversation.server_packets },
  ];
  return (
    <Section title={t('Volume')} bare>
      <table className="w-full text-left">
        <thead>
          <tr className="text-sm text-muted">
            <th className="py-1 pr-3 font-medium">{t('Direction')}</th>
            <th className="py-1 pr-3 text-right font-medium">{t('Bytes')}</th>
            <th className="py-1 text-right font-medium">{t('Packets')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, bytes, packets }) => (
            <tr key={label} className="border-t">
              <td className="py-1 pr-3">{label}</td>
              <td className="py-1 pr-3 text-right tabular-nums">
                {bytes === null ? t('Not counted') : formatBytes(bytes)}
              </td>
              <td className="py-1 text-right tabular-nums">
                {packets === null ? t('Not counted') : packetsText(t, packets)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
