import { NewPolicy } from '@/features/policies/editor/new-policy';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('New policy'));

export default function NewPolicyPage() {
  return <NewPolicy />;
}
