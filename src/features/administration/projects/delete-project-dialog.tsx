'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Project } from '@/domain/project';
import { useTRPC } from '@/lib/trpc';
import { showToast } from '@/ui/toast';
import { DeleteDialog } from '../delete-dialog';

/** Asks before a project goes. One with workloads does not go. */
export function DeleteProjectDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = () => {
    void queryClient.invalidateQueries(trpc.projects.pathFilter());
    void queryClient.invalidateQueries(trpc.tenants.pathFilter());
  };
  const remove = useMutation(
    trpc.projects.delete.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: `${project.name} deleted` });
        refresh();
        onClose();
      },
      onError: refresh,
    }),
  );
  return (
    <DeleteDialog
      noun="project"
      name={project.name}
      remove={{ ...remove, mutate: () => remove.mutate({ id: project.id }) }}
      onClose={onClose}
    >
      <p>Only a project without workloads can be deleted: otherwise its tenant would lose sight of them.</p>
    </DeleteDialog>
  );
}
