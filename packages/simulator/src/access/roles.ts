const COMMON = [
  'Datastore.Allocate',
  'Datastore.AllocateSpace',
  'Datastore.AllocateTemplate',
  'Datastore.Audit',
  'Group.Allocate',
  'Mapping.Audit',
  'Mapping.Modify',
  'Mapping.Use',
  'Permissions.Modify',
  'Pool.Allocate',
  'Pool.Audit',
  'Realm.Allocate',
  'Realm.AllocateUser',
  'SDN.Allocate',
  'SDN.Audit',
  'SDN.Use',
  'Sys.AccessNetwork',
  'Sys.Audit',
  'Sys.Console',
  'Sys.Incoming',
  'Sys.Modify',
  'Sys.PowerMgmt',
  'Sys.Syslog',
  'User.Modify',
  'VM.Allocate',
  'VM.Audit',
  'VM.Backup',
  'VM.Clone',
  'VM.Config.CDROM',
  'VM.Config.CPU',
  'VM.Config.Cloudinit',
  'VM.Config.Disk',
  'VM.Config.HWType',
  'VM.Config.Memory',
  'VM.Config.Network',
  'VM.Config.Options',
  'VM.Console',
  'VM.Migrate',
  'VM.PowerMgmt',
  'VM.Snapshot',
  'VM.Snapshot.Rollback',
] as const;

const ONLY_8 = ['VM.Monitor'];
const ONLY_9 = [
  'VM.GuestAgent.Audit',
  'VM.GuestAgent.FileRead',
  'VM.GuestAgent.FileSystemMgmt',
  'VM.GuestAgent.FileWrite',
  'VM.GuestAgent.Unrestricted',
  'VM.Replicate',
];

/** Every privilege a release knows; roles silently lose privileges that do not exist. */
export const listPrivileges = (major: 8 | 9): string[] => [...COMMON, ...(major === 8 ? ONLY_8 : ONLY_9)];

/** Built-in roles of a release by name. `NoAccess` takes everything away on its path. */
export function builtInRoles(major: 8 | 9): Map<string, readonly string[]> {
  const all = listPrivileges(major);
  const known = (names: string[]) => names.filter((name) => all.includes(name));
  const vmUser = ['VM.Audit', 'VM.Backup', 'VM.Config.CDROM', 'VM.Config.Cloudinit', 'VM.Console', 'VM.PowerMgmt'];
  return new Map<string, readonly string[]>([
    ['Administrator', all],
    ['NoAccess', []],
    [
      'PVEAdmin',
      all.filter(
        (name) =>
          ![
            'Permissions.Modify',
            'Sys.Modify',
            'Sys.PowerMgmt',
            'Sys.Incoming',
            'Sys.AccessNetwork',
            'Realm.Allocate',
          ].includes(name),
      ),
    ],
    [
      'PVEAuditor',
      known([
        'Datastore.Audit',
        'Mapping.Audit',
        'Pool.Audit',
        'SDN.Audit',
        'Sys.Audit',
        'VM.Audit',
        'VM.GuestAgent.Audit',
      ]),
    ],
    ['PVEVMAdmin', all.filter((name) => name.startsWith('VM.'))],
    [
      'PVEVMUser',
      known([
        ...vmUser,
        'VM.GuestAgent.Audit',
        'VM.GuestAgent.FileRead',
        'VM.GuestAgent.FileSystemMgmt',
        'VM.GuestAgent.FileWrite',
      ]),
    ],
    ['PVEPoolUser', ['Pool.Audit']],
    ['PVESDNUser', ['SDN.Audit', 'SDN.Use']],
    ['PVESysAdmin', ['Sys.Audit', 'Sys.Console', 'Sys.Syslog']],
  ]);
}
