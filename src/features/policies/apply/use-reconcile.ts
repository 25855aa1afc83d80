'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';

/** Brings the live state to what the policy requires, or removes what is left of a policy that is not enforced. */
export function useReconcile(policyId: string, onStarted: (operationId: string) => void) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.deployments.reconcile.mutationOptions({
      onSuccess: ({ operation_id, message }) => {
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        void queryClient.invalidateQueries(trpc.deployments.pathFilter());
        if (operation_id) onStarted(operation_id);
        else showToast('info', { id: policyId, title: t('Nothing to reconcile'), description: message ?? undefined });
      },
      onError: (error) => {
        const { title, detail } = toFailure(error);
        showToast('danger', { id: policyId, title: t('Could not start reconciliation'), description: detail ?? title });
      },
    }),
  );
}
