import type { Metadata } from 'next';
import { GroupDetail } from '@/features/security-groups/group-detail';

export const metadata: Metadata = { title: 'Security group' };

export default async function SecurityGroupPage({ params }: { params: Promise<{ groupId: string }> }) {
  const { groupId } = await params;
  return <GroupDetail groupId={groupId} />;
}
