import { TestDetail } from '@/features/policy-tests/test-detail';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Policy test'));

export default async function PolicyTestPage({ params }: { params: Promise<{ testId: string }> }) {
  const { testId } = await params;
  return <TestDetail testId={testId} />;
}
