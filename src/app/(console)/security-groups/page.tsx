import { GroupList } from '@/features/security-groups/group-list';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Groups'));

export default function SecurityGroupsPage() {
  return <GroupList />;
}
