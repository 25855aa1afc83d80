import type { Metadata } from 'next';
import { ImportPage } from '@/features/addresses/import-page';

export const metadata: Metadata = { title: 'Import addresses' };

export default function ImportAddressesPage() {
  return <ImportPage />;
}
