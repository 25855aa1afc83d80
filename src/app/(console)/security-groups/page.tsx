import type { Metadata } from 'next';
import { GroupList } from '@/features/security-groups/group-list';

export const metadata: Metadata = { title: 'Security groups' };

export default function SecurityGroupsPage() {
  return <GroupList />;
}
