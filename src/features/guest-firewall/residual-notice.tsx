'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { showToast } from '@/ui/toast';
import { RelativeTime } from '@/ui/values';
import { ChangeRefusal } from '../shared/changes/change-refusal';
import { withoutProposed } from '../shared/changes/proposed-change';
import { usePermissions } from '../shared/use-permissions';

/** Rules that a former tenant or project left on a workload: how many, since when, and what becomes of them. Nothing where there are none. */
export function ResidualNotice({ workloadId }: { workloadId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  const query = useQuery(trpc.workloads.residualRules.queryOptions({ id: workloadId }));
  const remove = useMutation(
    trpc.workloads.removeResidualRules.mutationOptions({
      onSuccess: () => showToast('ok', { title: t('Removal requested') }),
      onError: (error) => {
        const failure = withoutProposed(toFailure(error));
        if (failure) showToast('danger', { title: failure.title, description: failure.detail });
      },
      onSettled: () => void queryClient.invalidateQueries(trpc.workloads.residualRules.pathFilter()),
    }),
  );
  const items = query.data?.items ?? [];
  const [first] = items;
  if (query.error) {
    return (
      <Notice tone="warn" title={t('Could not check for residual rules')}>
        {toFailure(query.error).detail}
      </Notice>
    );
  }
  if (!first) return null;
  const known = items.every(({ rules }) => rules !== null);
  const rules = items.reduce((sum, item) => sum + (item.rules?.length ?? 0), 0);
  const problem = items.find((item) => item.problem !== null)?.problem;
  const kept = items.some(({ mode }) => mode === 'keep');
  return (
    <Notice
      tone="warn"
      title={
        known
          ? t('{n, plural, one {# rule} other {# rules}} of a former tenant or project', { n: rules })
          : t('Rules of a former tenant or project')
      }
    >
      <div className="flex flex-col items-start gap-2">
        <p>
          {t.rich('These rules still filter this workload, which moved {at}.', {
            at: <RelativeTime at={first.since} />,
          })}{' '}
          {kept ? t('These rules stay until a user removes them.') : t('Removal is retried automatically.')}
        </p>
        {problem && <p className="text-muted">{t('Last attempt: {message}', { message: problem.message })}</p>}
        <Button
          size="sm"
          pending={remove.isPending}
          disabledReason={reason('policy:apply')}
          onClick={() => remove.mutate({ id: workloadId })}
        >
          {t('Remove residual rules')}
        </Button>
        <ChangeRefusal failure={remove.error && toFailure(remove.error)} />
      </div>
    </Notice>
  );
}
