export const PVE_MAJORS = ['9', '8'] as const;
export type PveMajor = (typeof PVE_MAJORS)[number];

/** What a privilege is needed for; the guest agent's has another name in each major version. */
export function tokenPrivileges(major: PveMajor): readonly { name: string; purpose: string }[] {
  return [
    { name: 'VM.Audit', purpose: 'read guests, their network cards and firewall rules' },
    {
      name: major === '9' ? 'VM.GuestAgent.Audit' : 'VM.Monitor',
      purpose: 'ask the guest agent for addresses',
    },
    { name: 'VM.Config.Network', purpose: 'write firewall rules and the firewall flag of network cards' },
    { name: 'VM.Config.Options', purpose: 'write the firewall options of guests' },
    { name: 'Sys.Audit', purpose: 'read nodes, quorum and the cluster firewall' },
    { name: 'SDN.Audit', purpose: 'read bridges, zones, VNets and subnets' },
    { name: 'SDN.Use', purpose: 'change network cards that are attached to a bridge or VNet' },
    { name: 'Pool.Audit', purpose: 'read to which pool a guest belongs' },
  ];
}

/** The commands, for a root shell on any node, that create a role, a user and a token for this service. */
export function tokenCommands(major: PveMajor): string[] {
  const privileges = tokenPrivileges(major).map(({ name }) => name);
  return [
    `pveum role add Fabric --privs "${privileges.join(' ')}"`,
    'pveum user add fabric@pve --comment "Fabric network service"',
    'pveum acl modify / --users fabric@pve --roles Fabric',
    'pveum user token add fabric@pve fabric --privsep 0',
  ];
}
