import { isGranted, type RoleGrant, reachOf, type TenantReach } from '@/domain/permissions';
import type { HubMessage } from './event-hub';

/** Which object changed is not for those who see the objects of some tenants only. */
function withoutId(message: HubMessage, reach: TenantReach): HubMessage | null {
  if (reach === 'all') return message;
  return reach.length > 0 ? ({ type: message.type } as HubMessage) : null;
}

/** What of an event this user, who holds these grants, may learn: it, less of it, or nothing. */
export function visibleEvent(grants: readonly RoleGrant[], userId: string, message: HubMessage): HubMessage | null {
  switch (message.type) {
    case 'resync':
      return message;
    case 'sync_run.changed':
    case 'cluster.changed':
      return isGranted(grants, 'cluster:read') ? message : null;
    case 'ipam_import.changed':
      return isGranted(grants, 'ipam:write') ? message : null;
    case 'mapping_rule.changed':
      return isGranted(grants, 'mapping:read') ? message : null;
    case 'ipam.changed':
      return withoutId(message, reachOf(grants, 'ipam:read'));
    case 'inventory.changed': {
      const reach = reachOf(grants, 'workload:read');
      if (reach === 'all' || isGranted(grants, 'cluster:read')) return message;
      // In which cluster something happened is not for those who see some of its workloads only.
      return reach.length > 0 ? { type: 'resync' } : null;
    }
    case 'security_group.changed':
      return withoutId(message, reachOf(grants, 'group:read'));
    case 'policy.changed':
    case 'deployment.changed':
    case 'firewall.changed':
      return withoutId(message, reachOf(grants, 'policy:read'));
    case 'notification.changed': {
      // What they are told of depends on many permissions; that it changed somewhere in their reach says nothing.
      const concerns = ({ tenant_id }: RoleGrant) => tenant_id === null || tenant_id === message.tenant_id;
      return grants.some(concerns) ? { type: message.type } : null;
    }
    case 'notification.read':
      return message.user_id === userId ? message : null;
  }
}
