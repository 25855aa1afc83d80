'use client';
import { computeReach } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import { loadOnOpening } from '@/ui/load-on-opening';
import { usePermissions } from '../shared/use-permissions';

/** It is open as long as it is rendered. */
export const AssignProjectDialog = loadOnOpening(
  () => import('./assign-project-dialog').then((module) => module.AssignProjectDialog),
  () => true,
);

/** Whether the signed-in user may assign workloads to projects, and take them out of every tenant. */
export function useAssignProject(): { possible: boolean; mayClear: boolean } {
  const state = useSession();
  const { can } = usePermissions();
  const grants = state.status === 'signed_in' ? state.user.grants : [];
  return {
    possible: can('workload:write') && can('project:read'),
    mayClear: computeReach(grants, 'workload:write') === 'all',
  };
}
