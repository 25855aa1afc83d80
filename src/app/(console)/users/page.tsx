import { UserList } from '@/features/administration/users/user-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Users'));

export default function UsersPage() {
  return <UserList />;
}
