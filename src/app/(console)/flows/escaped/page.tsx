import { EscapedList } from '@/features/flows/escaped-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Escaped traffic'));

export default function EscapedTrafficPage() {
  return <EscapedList />;
}
