import type { Metadata } from 'next';
import { RoleDetail } from '@/features/administration/roles/role-detail';

export const metadata: Metadata = { title: 'Role' };

export default async function RolePage({ params }: { params: Promise<{ roleId: string }> }) {
  const { roleId } = await params;
  return <RoleDetail roleId={roleId} />;
}
