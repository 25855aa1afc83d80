import { ImportPage } from '@/features/addresses/import-page';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Import addresses'));

export default function ImportAddressesPage() {
  return <ImportPage />;
}
