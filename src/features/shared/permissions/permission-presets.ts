import { PERMISSION_REACH, PERMISSIONS, type Permission } from '@/domain/permissions';
import { msg, type Translate } from '@/lib/i18n/translator';
import { PERMISSION_LABELS, PERMISSION_ROWS } from './permission-labels';

export type Preset = { id: string; label: string; description: string; permissions: readonly Permission[] };

/** Sets of permissions that are often given together. */
export const PERMISSION_PRESETS: readonly Preset[] = [
  {
    id: 'read_only',
    label: msg('Read-only'),
    description: msg('All read permissions.'),
    permissions: PERMISSIONS.filter((one) => one.endsWith(':read')),
  },
  {
    id: 'monitoring',
    label: msg('Monitoring'),
    description: msg('State of clusters, agents and jobs. Prometheus metrics use FABRIC_METRICS_TOKEN instead.'),
    permissions: ['cluster:read', 'agent:read', 'job:read'],
  },
  {
    id: 'apply_policies',
    label: msg('Apply policies'),
    description: msg('View policies and what they affect, and apply them.'),
    permissions: ['workload:read', 'group:read', 'policy:read', 'policy:apply'],
  },
  {
    id: 'project_operator',
    label: msg('Project operator'),
    description: msg('Everything that a role for one project can permit.'),
    permissions: PERMISSIONS.filter((one) => PERMISSION_REACH[one] === 'project'),
  },
];

/** The presets that can be given in full or in part; those that are reduced to nothing are left out. */
export const presetsWithin = (offered: readonly Permission[]): Preset[] =>
  PERMISSION_PRESETS.map((preset) => ({
    ...preset,
    permissions: preset.permissions.filter((one) => offered.includes(one)),
  })).filter(({ permissions }) => permissions.length > 0);

/** Whether exactly the permissions of a preset are chosen. */
export const isPreset = ({ permissions }: Preset, value: readonly string[]): boolean =>
  permissions.length === value.length && permissions.every((one) => value.includes(one));

/** Permissions whose name, description or subject contains every word of a search. */
export function searchPermissions(t: Translate, query: string): ReadonlySet<Permission> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return new Set(
    PERMISSION_ROWS.flatMap(({ label, permissions }) =>
      permissions.filter((one) => {
        const text = `${one} ${t(label)} ${t(PERMISSION_LABELS[one])}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    ),
  );
}
