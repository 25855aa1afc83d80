import { AddressDetail } from '@/features/addresses/address-detail';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Address'));

export default async function AddressPage({ params }: { params: Promise<{ addressId: string }> }) {
  const { addressId } = await params;
  return <AddressDetail key={addressId} addressId={addressId} />;
}
