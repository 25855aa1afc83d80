import { Addresses } from '@/features/addresses/addresses';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Addresses'));

export default function AddressesPage() {
  return <Addresses />;
}
