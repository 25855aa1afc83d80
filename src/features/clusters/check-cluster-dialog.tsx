'use client';
import { useQuery } from '@tanstack/react-query';
import type { Cluster } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Dialog } from '@/ui/dialog';
import { ErrorState } from '@/ui/error-state';
import { CheckReport, CheckRunning } from '../shared/cluster-connection/check-report';

type Props = { cluster: Cluster; open: boolean; onClose: () => void; onEdit: () => void; editReason: string | null };

/** Tries the stored connection now and shows what works. */
export function CheckClusterDialog({ cluster, open, onClose, onEdit, editReason }: Props) {
  const t = useT();
  const client = useTRPCClient();
  // A check changes nothing, so it may run whenever the dialog opens; its answer is about this moment only.
  const check = useQuery({
    queryKey: ['cluster-check', cluster.id, cluster.version],
    queryFn: ({ signal }) => client.clusters.check.mutate({ cluster_id: cluster.id }, { signal }),
    enabled: open,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const problems = check.data?.checks.some((line) => line.status === 'failed');
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t('Connection to {name}', { name: cluster.name })}
      size="lg"
      footer={
        <>
          {problems && (
            <Button onClick={onEdit} disabledReason={editReason}>
              {t('Edit connection')}
            </Button>
          )}
          <Button variant="primary" onClick={() => void check.refetch()} pending={check.isFetching}>
            {t('Check again')}
          </Button>
        </>
      }
    >
      {check.isFetching ? (
        <CheckRunning />
      ) : check.data ? (
        <CheckReport report={check.data} />
      ) : (
        check.error && <ErrorState problem={toFailure(check.error)} />
      )}
    </Dialog>
  );
}
