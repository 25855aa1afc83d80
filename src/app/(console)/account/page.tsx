import type { Metadata } from 'next';
import { Account } from '@/features/account/account';

export const metadata: Metadata = { title: 'Account' };

export default function AccountPage() {
  return <Account />;
}
