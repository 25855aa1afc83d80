import type { Metadata } from 'next';
import { PolicyDetail } from '@/features/policies/detail/policy-detail';

export const metadata: Metadata = { title: 'Policy' };

export default async function PolicyPage({ params }: { params: Promise<{ policyId: string }> }) {
  const { policyId } = await params;
  return <PolicyDetail policyId={policyId} />;
}
