import { PolicyEditor } from '@/features/policies/editor/policy-editor';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('New policy'));

export default function NewPolicyPage() {
  return <PolicyEditor />;
}
