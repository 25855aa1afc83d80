import { useQuery } from '@tanstack/react-query';
import type { EscapedConversation } from '@/domain/enforcement-chain/escaped';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Mono, RelativeTime } from '@/ui/values';
import { ESCAPE_LABELS, ESCAPE_MEANINGS, LINK_LABELS } from '../shared/enforcement-labels';
import { usePermissions } from '../shared/use-permissions';

const SHOWN = 20;

const formatEnd = (ip: string, port: number | null) =>
  port === null ? ip : ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;

export function useEscaped(workloadId: string) {
  const trpc = useTRPC();
  const { can } = usePermissions();
  return useQuery({
    ...trpc.flows.escaped.queryOptions({ workload_id: workloadId, limit: SHOWN }),
    enabled: can('flow:read'),
  });
}

/** Conversations of a workload that passed although its rules deny them. Nothing where there are none. */
export function EscapedTraffic({ workloadId }: { workloadId: string }) {
  const t = useT();
  const query = useEscaped(workloadId);
  if (query.error) {
    return (
      <Notice tone="warn" title={t('Could not read escaped traffic')}>
        {toFailure(query.error).detail}
      </Notice>
    );
  }
  if (!query.data || query.data.items.length === 0) return null;
  const { items, total } = query.data;
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium">{t('Escaped traffic')}</h3>
      <p className="text-muted">
        {t(
          '{n, plural, one {# conversation} other {# conversations}} in the last week passed although rules deny them.',
          {
            n: total,
          },
        )}
      </p>
      <ul aria-label={t('Escaped traffic')} className="flex flex-col gap-1">
        {items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
      <p>
        <Link className="link" href={paths.escapedTraffic({ workload_id: workloadId })}>
          {t('Show all with what to do')}
        </Link>
      </p>
    </section>
  );
}

function Item({ item }: { item: EscapedConversation }) {
  const t = useT();
  const { reason, broken_link: link, protocol, denied_by } = item;
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <Mono>
        {formatEnd(item.client_ip, item.client_port)} → {formatEnd(item.server_ip, item.server_port)} {protocol}
      </Mono>
      <span title={t(ESCAPE_MEANINGS[reason])}>
        {t(ESCAPE_LABELS[reason])}
        {link && `: ${t(LINK_LABELS[link])}`}
      </span>
      {denied_by && <span className="text-muted">{t('Denied by: {rule}', { rule: denied_by })}</span>}
      <span className="text-muted">
        <RelativeTime at={item.last_seen_at} />
      </span>
    </li>
  );
}
