import type { Metadata } from 'next';
import { RoleList } from '@/features/administration/roles/role-list';

export const metadata: Metadata = { title: 'Roles' };

export default function RolesPage() {
  return <RoleList />;
}
