import { TestDetail } from '@/features/policy-tests/test-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Policy test'));

export default async function PolicyTestPage({ params }: { params: Promise<{ testId: string }> }) {
  const { testId } = await params;
  return <TestDetail testId={testId} />;
}
