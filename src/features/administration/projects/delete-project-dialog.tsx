'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Project } from '@/domain/project';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from '../delete-dialog';

/** Asks before a project goes. One with workloads does not go. */
export function DeleteProjectDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = () => {
    void queryClient.invalidateQueries(trpc.projects.pathFilter());
    void queryClient.invalidateQueries(trpc.tenants.pathFilter());
  };
  const remove = useMutation(
    trpc.projects.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} deleted', { name: project.name }) });
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <DeleteDialog
      title={t('Delete project {name}?', { name: project.name })}
      confirmLabel={t('Delete project')}
      remove={{ ...remove, mutate: () => remove.mutate({ id: project.id }) }}
      onClose={onClose}
    >
      <p>{t('Only a project without workloads can be deleted, because its tenant would no longer see them.')}</p>
    </DeleteDialog>
  );
}
