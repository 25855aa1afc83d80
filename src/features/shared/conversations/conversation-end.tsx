import type { Conversation, ConversationEnd as End } from '@/domain/flow/conversation';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { WorkloadLink } from '../entity-links';
import { endText } from '../flows/flow-labels';
import type { DraftSeed } from '../policy-draft/draft-link';

/** Why the action of a conversation is known. */
export const REASON_LABELS: Record<Conversation['reason'], string> = {
  logged: msg('Line of the firewall log'),
  replied: msg('Replies were seen'),
  not_known: msg('Nothing shows the outcome'),
};

/** One end of a conversation: the workload, if it is known, and the address. */
export function ConversationEnd({ end }: { end: End }) {
  const t = useT();
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      {end.workload && (
        <span className="min-w-0 shrink truncate">
          <WorkloadLink id={end.workload.id} name={end.workload.name} />
        </span>
      )}
      <span className="mono shrink-0">{endText(end.ip, end.port)}</span>
      {end.external && <span className="shrink-0 text-sm text-faint">{t('external')}</span>}
    </span>
  );
}

/** `tcp/5432 postgresql`, or the protocol alone. */
export function formatConversationService({
  service: { protocol, port, name },
}: Pick<Conversation, 'service'>): string {
  return [port === null ? protocol : `${protocol}/${port}`, name].filter(Boolean).join(' ');
}

/** `10.0.0.5 → 10.0.0.9, tcp/443`. */
export const formatConversation = (one: Conversation): string =>
  `${one.client.ip} → ${one.server.ip}, ${formatConversationService(one)}`;

/** The traffic that a policy can be drafted for. */
export const toConversationSeed = ({ client, server, service, action, icmp_type }: Conversation): DraftSeed => ({
  source: { workload_id: client.workload?.id ?? null, address: client.ip },
  destination: { workload_id: server.workload?.id ?? null, address: server.ip },
  protocol: service.protocol,
  port: service.port,
  icmp_type,
  action,
});
