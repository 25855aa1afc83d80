'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/values';

/** Senders that are shown; the API has the others. */
const SHOWN = 5;

/** Whether a collector runs and where, and who sends without being listed. */
export function CollectorNotices({
  refetchMs,
  disabledReason,
  onAllow,
}: {
  refetchMs: number;
  disabledReason: string | null;
  onAllow: (address: string) => void;
}) {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.flowExporters.collector.queryOptions(), refetchInterval: refetchMs });
  if (!data) return null;
  const { processes, refused_senders: refused } = data;
  return (
    <>
      {processes.length === 0 ? (
        <Notice tone="warn" title={t('No collector runs')}>
          {t('Set FABRIC_COLLECTOR_LISTEN, for example to 0.0.0.0:2055, and restart Fabric.')}
        </Notice>
      ) : (
        <p className="text-sm text-muted">
          {t('The collector listens on {addresses} (UDP).', {
            addresses: processes.map(({ listens }) => listens).join(', '),
          })}
        </p>
      )}
      {refused.length > 0 && (
        <Notice
          tone="warn"
          title={t('{count, plural, one {# sender} other {# senders}} refused', { count: refused.length })}
        >
          <ul className="flex flex-col gap-1">
            {refused.slice(0, SHOWN).map(({ address, datagrams, last_seen_at }) => (
              <li key={address} className="flex flex-wrap items-center gap-2">
                <span className="font-mono">{address}</span>
                <span>
                  {t('{count, plural, one {# datagram} other {# datagrams}}', { count: datagrams })},{' '}
                  <RelativeTime at={last_seen_at} />
                </span>
                <Button size="sm" onClick={() => onAllow(address)} disabledReason={disabledReason}>
                  {t('Allow {address}', { address })}
                </Button>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
