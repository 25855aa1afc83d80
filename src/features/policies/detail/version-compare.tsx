'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Skeleton } from '@/ui/loading';
import { SnapshotDifference } from '../../shared/policy-versions/snapshot-difference';
import { QueryView } from '../../shared/query-view';

/** What differs between two versions: fields with both values, then rules. */
export function VersionCompare({ policyId, from, to }: { policyId: string; from: number; to: number }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.policies.compareVersions.queryOptions({ id: policyId, from, to }),
    // Versions never change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-32 w-full" />}>
      {({ fields, rules }) =>
        fields.length + rules.length === 0 ? (
          <p className="text-muted">{t('These versions are identical.')}</p>
        ) : (
          <SnapshotDifference fields={fields} rules={rules} />
        )
      }
    </QueryView>
  );
}
