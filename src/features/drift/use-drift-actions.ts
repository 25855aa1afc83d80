'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';

/** What can be done about drift, one or several at a time. Lists and statuses are read again after each. */
export function useDriftActions(onDone: () => void) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = () => {
    for (const area of [trpc.drift, trpc.policies, trpc.deployments, trpc.dashboard]) {
      void queryClient.invalidateQueries(area.pathFilter());
    }
  };
  const reconcile = useMutation(
    trpc.drift.reconcileMany.mutationOptions({
      onSuccess: ({ operations }) => {
        const refused = operations.filter(({ message }) => message !== null);
        if (refused.length < operations.length) {
          showToast('ok', {
            title: t('Reconciliation started'),
            description: t('The workloads are written in the background, then read again.'),
          });
        }
        for (const { policy_name, message } of refused) {
          showToast('danger', { title: t('{name} not reconciled', { name: policy_name }), description: message ?? '' });
        }
        onDone();
      },
      onSettled: refresh,
    }),
  );
  const accept = useMutation(
    trpc.drift.acceptMany.mutationOptions({
      onSuccess: ({ accepted }) => {
        showToast('ok', {
          title: t('{n, plural, one {# difference accepted} other {# differences accepted}}', { n: accepted }),
        });
        onDone();
      },
      onSettled: refresh,
    }),
  );
  const withdraw = useMutation(
    trpc.drift.withdraw.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('Acceptance withdrawn') });
        onDone();
      },
      onSettled: refresh,
    }),
  );
  return { reconcile, accept, withdraw };
}
