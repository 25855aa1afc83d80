import type { Random } from '../random';
import type { ClusterState } from '../state/cluster-state';

/** Privileges a management service needs beyond reading. */
export const MANAGER_ROLE = 'FabricManager';

/**
 * Tokens every scenario offers, as full header values (`user@realm!name=secret`):
 * - `manager`: may read everything and write guest firewalls, NIC flags and cluster firewall objects
 * - `guestManager`: as `manager`, without rights on cluster-wide firewall objects
 * - `reader`: PVEAuditor only
 * - `empty`: privilege separated and without ACLs: every call works and shows almost nothing
 * - `root`: an unseparated token of root@pam
 */
export type StandardTokens = Record<'manager' | 'guestManager' | 'reader' | 'empty' | 'root', string>;

/** Creates users, roles, ACLs and tokens; secrets follow from the seed. */
export function addStandardAccess(cluster: ClusterState, random: Random): StandardTokens {
  const { access, version } = cluster;
  access.addRole(MANAGER_ROLE, [
    'VM.Audit',
    'VM.Config.Network',
    'VM.Config.Options',
    'VM.Console',
    'SDN.Use',
    'Sys.Syslog',
    ...(version.major === 8 ? ['VM.Monitor'] : ['VM.GuestAgent.Audit']),
  ]);
  access.addRole('FirewallObjects', ['Sys.Modify']);
  const add = (userId: string, name: string, roles: string[], ownerRoles: string[], separated = true): string => {
    if (userId !== 'root@pam') access.users.set(userId, { id: userId, enabled: true, expire: 0 });
    const id = `${userId}!${name}`;
    const secret = random.uuid();
    access.tokens.set(id, { id, userId, secret, privilegeSeparated: separated, expire: 0 });
    for (const role of ownerRoles) access.grant({ path: '/', subject: userId, role, propagate: true });
    for (const role of roles) access.grant({ path: '/', subject: id, role, propagate: true });
    return `${id}=${secret}`;
  };
  const manager = ['PVEAuditor', MANAGER_ROLE, 'FirewallObjects'];
  const guestManager = ['PVEAuditor', MANAGER_ROLE];
  return {
    manager: add('fabric@pve', 'fabric', manager, manager),
    guestManager: add('guests@pve', 'fabric', guestManager, guestManager),
    reader: add('audit@pve', 'reader', ['PVEAuditor'], ['PVEAuditor']),
    empty: add('nobody@pve', 'empty', [], ['PVEAuditor']),
    root: add('root@pam', 'root', [], [], false),
  };
}
