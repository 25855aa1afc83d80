import type { User } from '@/domain/user';
import { Badge } from '@/ui/badge';
import { columnsOf } from '@/ui/columns';
import { UserLink } from '../admin-links';
import { AssignmentBadges, assignmentText } from './assignment-badges';
import { SecondFactorBadge, secondFactorText } from './second-factor-badge';

const make = columnsOf<User>();

export const USER_COLUMNS = [
  make.text('email', 'Email address', (user) => user.email, {
    sortable: true,
    width: 220,
    grow: true,
    render: (user) => <UserLink id={user.id} email={user.email} />,
  }),
  make.text('name', 'Name', (user) => user.name, { sortable: true, width: 160 }),
  make.custom(
    'active',
    'State',
    (user) => <Badge tone={user.active ? 'ok' : 'off'}>{user.active ? 'Active' : 'Deactivated'}</Badge>,
    { sortable: true, width: 110, csv: (user) => (user.active ? 'active' : 'deactivated') },
  ),
  make.custom('assignments', 'Roles', (user) => <AssignmentBadges assignments={user.assignments} />, {
    width: 260,
    grow: true,
    csv: (user) => user.assignments.map(assignmentText).join('; '),
  }),
  make.custom('second_factor', 'Second factor', (user) => <SecondFactorBadge user={user} />, {
    width: 120,
    csv: secondFactorText,
  }),
  make.time('last_login_at', 'Last sign-in', (user) => user.last_login_at, {
    sortable: true,
    none: 'Never',
    width: 110,
  }),
  make.number('sessions_total', 'Sessions', (user) => user.sessions_total, { width: 90 }),
  make.time('created_at', 'Created', (user) => user.created_at, { sortable: true, width: 110 }),
];
