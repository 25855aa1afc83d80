import type { Metadata } from 'next';
import { Addresses } from '@/features/addresses/addresses';

export const metadata: Metadata = { title: 'Addresses' };

export default function AddressesPage() {
  return <Addresses />;
}
