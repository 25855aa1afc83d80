import { RoleList } from '@/features/administration/roles/role-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Roles'));

export default function RolesPage() {
  return <RoleList />;
}
