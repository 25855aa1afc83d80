import { UserList } from '@/features/administration/users/user-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Users'));

export default function UsersPage() {
  return <UserList />;
}
