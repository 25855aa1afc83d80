import { DriftList } from '@/features/drift/drift-list';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Drift'));

export default function DriftPage() {
  return <DriftList />;
}
