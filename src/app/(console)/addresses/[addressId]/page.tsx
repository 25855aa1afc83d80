import type { Metadata } from 'next';
import { AddressDetail } from '@/features/addresses/address-detail';

export const metadata: Metadata = { title: 'Address' };

export default async function AddressPage({ params }: { params: Promise<{ addressId: string }> }) {
  const { addressId } = await params;
  return <AddressDetail key={addressId} addressId={addressId} />;
}
