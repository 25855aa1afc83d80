import type { Conversation } from '@/domain/flow/conversation';
import { formatBytes, formatDuration, NO_VALUE } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { createColumnHelper } from '@/ui/columns';
import { FlowVerdictCell } from '../flow-verdict-cell';
import { FlowTime } from '../flows/flow-cells';
import { rulesText } from '../verdict-labels';
import { ConversationEnd, formatConversationService, REASON_LABELS } from './conversation-end';

const make = createColumnHelper<Conversation>();

/** Bytes that the client sent and received; what was not counted is a dash. */
const Both = ({ of: { client_bytes: sent, server_bytes: received } }: { of: Conversation }) => (
  <span className="tabular-nums">
    {sent === null ? NO_VALUE : formatBytes(sent)}, {received === null ? NO_VALUE : formatBytes(received)}
  </span>
);

export const conversationColumns = (t: Translate) => [
  make.custom('last_seen_at', t('Last seen'), (one) => <FlowTime at={one.last_seen_at} />, {
    sortable: true,
    sortFirst: 'desc',
    width: 112,
    csv: (one) => one.last_seen_at,
  }),
  make.custom('client', t('Client'), (one) => <ConversationEnd end={one.client} />, {
    width: 200,
    grow: true,
    csv: (one) => one.client.ip,
  }),
  make.custom('server', t('Server'), (one) => <ConversationEnd end={one.server} />, {
    width: 200,
    grow: true,
    csv: (one) => one.server.ip,
  }),
  make.custom('service', t('Service'), (one) => <span className="mono">{formatConversationService(one)}</span>, {
    width: 140,
    csv: formatConversationService,
  }),
  make.custom('action', t('Action'), (one) => <FlowVerdictCell verdict={one} />, {
    width: 190,
    csv: (one) => one.action,
  }),
  make.custom('bytes', t('Bytes sent, received'), (one) => <Both of={one} />, {
    sortable: true,
    sortFirst: 'desc',
    width: 170,
    csv: (one) => one.bytes,
  }),
  make.number('client_bytes', t('Bytes to server'), (one) => one.client_bytes, { hidden: true, format: formatBytes }),
  make.number('server_bytes', t('Bytes to client'), (one) => one.server_bytes, { hidden: true, format: formatBytes }),
  make.number('duration_ms', t('Duration'), (one) => one.duration_ms, { sortable: true, format: formatDuration }),
  make.number('client_packets', t('Packets to server'), (one) => one.client_packets, { hidden: true }),
  make.number('server_packets', t('Packets to client'), (one) => one.server_packets, { hidden: true }),
  make.text('reason', t('Reason'), (one) => t(REASON_LABELS[one.reason]), { hidden: true, width: 200 }),
  make.text('rules_say', t('Rules say'), (one) => rulesText(t, one.rules_say), { hidden: true, width: 220 }),
  make.custom('first_seen_at', t('First seen'), (one) => <FlowTime at={one.first_seen_at} />, {
    hidden: true,
    width: 128,
    csv: (one) => one.first_seen_at,
  }),
  make.text('nodes', t('Nodes'), (one) => one.nodes.map(({ name }) => name ?? t('Unknown')).join(', '), {
    hidden: true,
    width: 160,
  }),
];
