import { PolicyEditor } from '@/features/policies/editor/policy-editor';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Edit policy'));

export default async function EditPolicyPage({ params }: { params: Promise<{ policyId: string }> }) {
  const { policyId } = await params;
  return <PolicyEditor policyId={policyId} />;
}
