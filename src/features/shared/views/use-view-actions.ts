'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SavedView } from '@/domain/saved-view';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';

/** What the URL of this page holds now. */
export const readQuery = (): string => window.location.search.slice(1);

/** Saving, changing and deleting views. Each reports what it did; the list is read again, also after a refusal. */
export function useViewActions() {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries({ queryKey: trpc.savedViews.pathKey() });
  const onError = (error: unknown) => {
    const { title, detail } = toFailure(error);
    showToast('danger', { title, ...(detail && { description: detail }) });
  };
  const onSuccess = () => showToast('ok', { title: t('View saved') });
  const create = useMutation(trpc.savedViews.create.mutationOptions({ onSuccess, onSettled }));
  const update = useMutation(trpc.savedViews.update.mutationOptions({ onSuccess, onSettled, onError }));
  const remove = useMutation(trpc.savedViews.delete.mutationOptions());
  type Change = Partial<Pick<SavedView, 'name' | 'query' | 'tenant_id'>>;
  return {
    create,
    change: (view: SavedView, change: Change) => update.mutate({ id: view.id, version: view.version, ...change }),
    remove: (view: SavedView) => remove.mutateAsync({ id: view.id }),
  };
}
