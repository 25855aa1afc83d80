import type { Role } from '@/domain/role';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { permissionsText } from '../../shared/permissions/permission-labels';
import { RoleLink } from '../admin-links';
import { factorStateText } from '../users/user-labels';

const make = createColumnHelper<Role>();

export const roleColumns = (t: Translate) => [
  make.text('title', t('Role'), (role) => role.title, {
    sortable: true,
    width: 200,
    grow: true,
    render: (role) => <RoleLink id={role.id} title={role.title} />,
  }),
  make.mono('name', t('Name'), (role) => role.name, { sortable: true, width: 180 }),
  make.custom('built_in', t('Kind'), (role) => <Badge>{role.built_in ? t('Built-in') : t('Custom')}</Badge>, {
    width: 100,
    csv: (role) => (role.built_in ? t('built-in') : t('custom')),
  }),
  make.text('permissions', t('Permissions'), (role) => permissionsText(t, role.permissions), { width: 120 }),
  make.text(
    'requires_second_factor',
    t('Second factor'),
    (role) => (role.requires_second_factor ? factorStateText(t, 'asked_for') : ''),
    {
      width: 120,
    },
  ),
  make.number('users_total', t('Users'), (role) => role.users_total),
  make.time('updated_at', t('Changed'), (role) => role.updated_at),
  make.time('created_at', t('Created'), (role) => role.created_at, { sortable: true, hidden: true }),
];
