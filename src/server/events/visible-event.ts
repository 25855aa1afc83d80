import { computeReach, isEmptyReach, isGranted, isWithinReach, type RoleGrant } from '@/domain/permissions';
import type { HubMessage } from './event-hub';

/**
 * The part of an event that this user, who holds these grants, may see: all, less, or nothing. Users who reach a tenant or one of its projects see
 * what belongs to it. Of what clusters share, tenants see nothing, because that would reveal when others change something: see
 * `needsPeriodicResync`.
 */
export function visibleEvent(grants: readonly RoleGrant[], userId: string, message: HubMessage): HubMessage | null {
  switch (message.type) {
    case 'resync':
      return message;
    case 'sync_run.changed':
    case 'cluster.changed':
      return isGranted(grants, 'cluster:read') ? message : null;
    case 'ipam_import.changed':
      return isGranted(grants, 'ipam:write') ? message : null;
    case 'forwarding.changed':
      return isGranted(grants, 'settings:read') ? message : null;
    case 'flow_exporter.changed':
      return isGranted(grants, 'agent:read') ? message : null;
    case 'mapping_rule.changed':
      return isGranted(grants, 'mapping:read') ? message : null;
    case 'ipam.changed':
      return computeReach(grants, 'ipam:read') === 'all' ? message : null;
    case 'inventory.changed':
      return computeReach(grants, 'workload:read') === 'all' || isGranted(grants, 'cluster:read') ? message : null;
    case 'firewall.changed':
      return computeReach(grants, 'policy:read') === 'all' ? message : null;
    case 'security_group.changed':
      return isWithinReach(message, computeReach(grants, 'group:read')) ? message : null;
    case 'policy_test.changed':
      return isWithinReach(message, computeReach(grants, 'policy_test:read')) ? message : null;
    case 'policy.changed':
    case 'change.changed':
    case 'deployment.changed':
      return isWithinReach(message, computeReach(grants, 'policy:read')) ? message : null;
    case 'notification.changed': {
      // What notifications they get depends on many permissions; that something changed in their reach reveals
      // nothing.
      const concerns = ({ tenant_id, project_id }: RoleGrant) =>
        tenant_id === null || (tenant_id === message.tenant_id && project_id === null);
      return grants.some(concerns) ? { type: message.type } : null;
    }
    case 'notification.read':
      return message.user_id === userId ? message : null;
  }
}

/** Whether the user sees some part only of what clusters share, and is therefore told to read again at fixed times. */
export const needsPeriodicResync = (grants: readonly RoleGrant[]): boolean =>
  (['workload:read', 'ipam:read', 'policy:read'] as const).some((permission) => {
    const reach = computeReach(grants, permission);
    return reach !== 'all' && !isEmptyReach(reach);
  });
