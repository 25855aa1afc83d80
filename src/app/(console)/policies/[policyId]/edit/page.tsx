import { EditPolicy } from '@/features/policies/editor/edit-policy';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Edit policy'));

export default async function EditPolicyPage({ params }: { params: Promise<{ policyId: string }> }) {
  const { policyId } = await params;
  return <EditPolicy policyId={policyId} />;
}
