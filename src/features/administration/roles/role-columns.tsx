import type { Role } from '@/domain/role';
import { english } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { permissionsText } from '../../shared/permissions/permission-words';
import { RoleLink } from '../admin-links';

const make = columnsOf<Role>();

export const ROLE_COLUMNS = [
  make.text('title', 'Role', (role) => role.title, {
    sortable: true,
    width: 200,
    grow: true,
    render: (role) => <RoleLink id={role.id} title={role.title} />,
  }),
  make.mono('name', 'Name', (role) => role.name, { sortable: true, width: 180 }),
  make.custom('built_in', 'Kind', (role) => <Badge>{role.built_in ? 'Built in' : 'Own'}</Badge>, {
    width: 100,
    csv: (role) => (role.built_in ? 'built in' : 'own'),
  }),
  make.text('permissions', 'Permissions', (role) => permissionsText(english, role.permissions), { width: 120 }),
  make.text('requires_second_factor', 'Second factor', (role) => (role.requires_second_factor ? 'Asked for' : ''), {
    width: 120,
  }),
  make.number('users_total', 'Users', (role) => role.users_total, { width: 80 }),
  make.time('updated_at', 'Changed', (role) => role.updated_at, { width: 110 }),
  make.time('created_at', 'Created', (role) => role.created_at, { sortable: true, hidden: true, width: 110 }),
];
