import { msg } from '@/lib/i18n/translator';
export const PVE_MAJORS = ['9', '8'] as const;
export type PveMajor = (typeof PVE_MAJORS)[number];

/** The major version of a cluster; the newest when it is not known. */
export const getPveMajor = (version: string | null | undefined): PveMajor =>
  PVE_MAJORS.find((major) => version?.startsWith(`${major}.`)) ?? '9';

/** What a privilege is needed for; the guest agent's has another name in each major version. */
export function tokenPrivileges(major: PveMajor): readonly { name: string; purpose: string }[] {
  return [
    { name: 'VM.Audit', purpose: msg('read workloads, their interfaces and firewall rules') },
    {
      name: major === '9' ? 'VM.GuestAgent.Audit' : 'VM.Monitor',
      purpose: msg('read addresses from the guest agent'),
    },
    { name: 'VM.Config.Network', purpose: msg('write firewall rules and the firewall flag of interfaces') },
    { name: 'VM.Config.Options', purpose: msg('write workload options where the Proxmox VE version requires this') },
    { name: 'Sys.Audit', purpose: msg('read nodes, quorum and the cluster firewall') },
    { name: 'SDN.Audit', purpose: msg('read bridges, zones, VNets and subnets') },
    { name: 'SDN.Use', purpose: msg('change interfaces attached to a bridge or VNet') },
    { name: 'Pool.Audit', purpose: msg('read the pool of each workload') },
  ];
}

/** `user@realm!name` of a token that was entered as `user@realm!name=secret`; null for anything else. */
export function parseTokenId(token: string): { id: string; user: string } | null {
  const match = /^(?:PVEAPIToken[= ])?(([A-Za-z0-9._-]+@[A-Za-z][A-Za-z0-9._-]+)![A-Za-z][A-Za-z0-9._-]+)=/.exec(
    token.trim(),
  );
  return match?.[1] && match[2] ? { id: match[1], user: match[2] } : null;
}

const quoted = (major: PveMajor) =>
  tokenPrivileges(major)
    .map(({ name }) => name)
    .join(' ');

/** The commands that give an existing token and its user what is needed, whether its privileges are separated or not. */
export function grantCommands(major: PveMajor, token: { id: string; user: string }): string[] {
  const privileges = quoted(major);
  return [
    `pveum role add Fabric --privs "${privileges}" || pveum role modify Fabric --privs "${privileges}"`,
    `pveum acl modify / --users '${token.user}' --roles Fabric`,
    `pveum acl modify / --tokens '${token.id}' --roles Fabric`,
  ];
}

/** The commands, for a root shell on any node, that create a role, a user and a token for this service. */
export function tokenCommands(major: PveMajor): string[] {
  return [
    `pveum role add Fabric --privs "${quoted(major)}"`,
    'pveum user add fabric@pve --comment "Fabric network service"',
    'pveum acl modify / --users fabric@pve --roles Fabric',
    'pveum user token add fabric@pve fabric --privsep 0',
  ];
}
