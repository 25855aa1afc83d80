import { Addresses } from '@/features/addresses/addresses';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Addresses'));

export default function AddressesPage() {
  return <Addresses />;
}
