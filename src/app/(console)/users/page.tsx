import type { Metadata } from 'next';
import { UserList } from '@/features/administration/users/user-list';

export const metadata: Metadata = { title: 'Users' };

export default function UsersPage() {
  return <UserList />;
}
