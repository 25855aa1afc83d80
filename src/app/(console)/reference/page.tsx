import { Reference } from '@/features/reference/reference';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('API reference'));

export default function ReferencePage() {
  return <Reference />;
}
