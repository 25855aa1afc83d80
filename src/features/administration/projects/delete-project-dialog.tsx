'use client';
import type { Project } from '@/domain/project';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { DeleteDialog } from '../../shared/delete-dialog';

/** Asks before a project goes. One with workloads does not go. */
export function DeleteProjectDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete project {name}?', { name: project.name })}
      confirmLabel={t('Delete project')}
      name={project.name}
      remove={() => client.projects.delete.mutate({ id: project.id })}
      outdated={[trpc.projects.pathFilter(), trpc.tenants.pathFilter()]}
      onClose={onClose}
    >
      <p>{t('Only a project without workloads can be deleted, because its tenant would no longer see them.')}</p>
    </DeleteDialog>
  );
}
