'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { RelativeTime } from '@/ui/values';
import { UNKNOWN_TEXTS } from './hygiene-labels';

/** When rules were checked, and about what nothing is claimed. @param policyId of one policy only */
export function HygieneState({ policyId }: { policyId?: string }) {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery({
    ...trpc.hygiene.summary.queryOptions(policyId === undefined ? {} : { policy_id: policyId }),
    refetchInterval: 60_000,
  });
  if (!data) return null;
  return (
    <p className="flex flex-wrap gap-x-3 text-sm text-muted">
      <span>
        {data.checked_at === null ? (
          t('Not checked yet')
        ) : (
          <>
            {t('Checked')} <RelativeTime at={data.checked_at} />
          </>
        )}
      </span>
      {data.unknown.length > 0 && <span>{t('Not checked:')}</span>}
      {data.unknown.map(({ reason, workloads }) => (
        <span key={reason}>
          {t(UNKNOWN_TEXTS[reason])}: {t('{n, plural, one {# workload} other {# workloads}}', { n: workloads })}
        </span>
      ))}
    </p>
  );
}
