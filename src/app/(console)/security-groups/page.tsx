import { GroupList } from '@/features/security-groups/group-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Groups'));

export default function SecurityGroupsPage() {
  return <GroupList />;
}
