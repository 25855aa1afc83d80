'use client';
import { type QueryFilters, useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { ConfirmDialog, type ConfirmDialogProps } from '@/ui/confirm-dialog';
import { showToast } from '@/ui/toast';

type Props = Pick<ConfirmDialogProps, 'title' | 'confirmLabel' | 'typed' | 'children'> & {
  open?: boolean;
  /** What is deleted, as the toast names it. */
  name: string;
  /** Null until it is known what is lost. */
  remove: (() => Promise<unknown>) | null;
  /** Why it is not known. */
  error?: unknown;
  /** What is read again: a refusal, too, may mean that something else changed. */
  outdated: readonly QueryFilters[];
  onClose: () => void;
  /** Where the page is left with what was deleted. Default: closes. */
  onDeleted?: () => void;
};

/** Asks before something is deleted, deletes it, and says so. */
export function DeleteDialog({
  open = true,
  name,
  remove,
  error,
  outdated,
  onClose,
  onDeleted = onClose,
  ...dialog
}: Props) {
  const t = useT();
  const queryClient = useQueryClient();
  const refresh = () => {
    for (const filter of outdated) void queryClient.invalidateQueries(filter);
  };
  const removal = useMutation({
    mutationFn: async () => remove?.(),
    onSuccess: () => {
      showToast('ok', { title: t('{name} deleted', { name }) });
      onDeleted();
      refresh();
    },
    onError: refresh,
  });
  const failure = removal.error ?? error;
  return (
    <ConfirmDialog
      {...dialog}
      open={open}
      onOpenChange={(next) => {
        if (next) return;
        removal.reset();
        onClose();
      }}
      pending={removal.isPending}
      error={failure ? toFailure(failure) : null}
      onConfirm={() => remove && removal.mutate()}
    />
  );
}
