'use client';
import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import type { Policy } from '@/domain/policies';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ErrorState } from '@/ui/error-state';
import { loadLater } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { RelativeTime } from '@/ui/values';
import { PreviewView } from './preview-view';

/** Loaded while the preview is read. */
const ImpactPanel = loadLater(() => import('../../shared/impact/impact-panel').then((module) => module.ImpactPanel));

/** What applying the policy would do now, guest by guest, against what is live. */
export function PreviewTab({ policy }: { policy: Policy }) {
  const t = useT();
  const client = useTRPCClient();
  const query = useQuery({
    // It belongs to one moment: read again on request, with a new version, and after any write since.
    queryKey: ['policy-preview', policy.id, policy.version, policy.last_deployment],
    queryFn: ({ signal }) => client.policies.preview.mutate({ id: policy.id }, { signal }),
    staleTime: 10_000,
    gcTime: 60_000,
  });
  if (query.isPending) {
    return (
      <div className="flex flex-col gap-3" aria-busy="true">
        <p className="text-muted">{t('Reading live rules from the workloads…')}</p>
        <Skeleton className="h-40 w-full" />
      </div>
    );
  }
  if (query.error && !query.data) {
    return (
      <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} pending={query.isFetching} />
    );
  }
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted">
          {t.rich('Compared with the snapshot read {at}.', {
            at: <RelativeTime at={new Date(query.dataUpdatedAt).toISOString()} />,
          })}
        </p>
        <Button
          size="sm"
          icon={<RefreshCw size={14} />}
          onClick={() => void query.refetch()}
          pending={query.isFetching}
        >
          {t('Refresh preview')}
        </Button>
      </div>
      <PreviewView preview={query.data} />
      <ImpactPanel
        question={{
          key: ['policy', policy.id, policy.version, policy.last_deployment],
          ask: (times, signal) => client.impacts.ofPolicy.mutate({ id: policy.id, ...times }, { signal }),
        }}
        isAsIf={!policy.enabled || policy.definition.enforcement_mode === 'audit'}
        showTests={false}
      />
    </>
  );
}
