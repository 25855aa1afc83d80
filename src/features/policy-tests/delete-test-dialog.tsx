'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { useT } from '@/lib/i18n/use-t';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';

type Props = { test: Pick<PolicyTest, 'id' | 'name'>; onClose: () => void; onDeleted: () => void };

/** Asks before a test goes. No rule changes. */
export function DeleteTestDialog({ test, onClose, onDeleted }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const remove = useMutation(
    trpc.policyTests.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: test.name }) });
        onDeleted();
        void queryClient.invalidateQueries(trpc.policyTests.pathFilter());
      },
    }),
  );
  return (
    <ConfirmDialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Delete policy test {name}?', { name: test.name })}
      confirmLabel={t('Delete policy test')}
      pending={remove.isPending}
      error={remove.error ? failureOf(remove.error) : null}
      onConfirm={() => remove.mutate({ id: test.id })}
    >
      <p>{t('No rule changes. Fabric no longer evaluates the test and no longer stops an apply because of it.')}</p>
    </ConfirmDialog>
  );
}
