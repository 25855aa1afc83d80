import { TestList } from '@/features/policy-tests/test-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Policy tests'));

export default function PolicyTestsPage() {
  return <TestList />;
}
