import type { Metadata } from 'next';
import { PolicyEditor } from '@/features/policies/editor/policy-editor';

export const metadata: Metadata = { title: 'Edit policy' };

export default async function EditPolicyPage({ params }: { params: Promise<{ policyId: string }> }) {
  const { policyId } = await params;
  return <PolicyEditor policyId={policyId} />;
}
