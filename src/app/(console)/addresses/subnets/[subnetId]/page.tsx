import type { Metadata } from 'next';
import { SubnetDetail } from '@/features/addresses/subnet-detail';

export const metadata: Metadata = { title: 'Subnet' };

export default async function SubnetPage({ params }: { params: Promise<{ subnetId: string }> }) {
  const { subnetId } = await params;
  return <SubnetDetail key={subnetId} subnetId={subnetId} />;
}
