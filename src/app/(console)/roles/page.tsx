import { RoleList } from '@/features/administration/roles/role-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Roles'));

export default function RolesPage() {
  return <RoleList />;
}
