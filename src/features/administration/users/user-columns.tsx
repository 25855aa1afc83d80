import type { User } from '@/domain/user';
import type { Translate } from '@/lib/i18n/translator';
import { Badge } from '@/ui/badge';
import { createColumnHelper } from '@/ui/columns';
import { UserLink } from '../admin-links';
import { AssignmentBadges, assignmentText } from './assignment-badges';
import { activeText, SecondFactorBadge, secondFactorText } from './user-labels';

const make = createColumnHelper<User>();

export const userColumns = (t: Translate) => [
  make.text('email', t('Email address'), (user) => user.email, {
    sortable: true,
    width: 240,
    grow: true,
    render: (user) => <UserLink id={user.id} email={user.email} />,
  }),
  make.text('name', t('Name'), (user) => user.name, { sortable: true, width: 160 }),
  make.custom(
    'active',
    t('State'),
    (user) => <Badge tone={user.active ? 'ok' : 'off'}>{activeText(t, user.active)}</Badge>,
    { sortable: true, width: 110, csv: (user) => (user.active ? t('active') : t('deactivated')) },
  ),
  make.custom('assignments', t('Roles'), (user) => <AssignmentBadges assignments={user.assignments} />, {
    width: 240,
    grow: true,
    csv: (user) => user.assignments.map((one) => assignmentText(t, one)).join('; '),
  }),
  make.custom('second_factor', t('Second factor'), (user) => <SecondFactorBadge user={user} />, {
    width: 120,
    csv: (user) => secondFactorText(t, user),
  }),
  make.time('last_login_at', t('Last sign-in'), (user) => user.last_login_at, {
    sortable: true,
    none: t('Never'),
  }),
  make.number('sessions_total', t('Sessions'), (user) => user.sessions_total, { hidden: true }),
  make.time('created_at', t('Created'), (user) => user.created_at, { sortable: true, hidden: true }),
];
