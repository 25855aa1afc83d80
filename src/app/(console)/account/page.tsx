import { Account } from '@/features/account/account';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Account'));

export default function AccountPage() {
  return <Account />;
}
