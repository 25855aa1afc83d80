import { Account } from '@/features/account/account';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Account'));

export default function AccountPage() {
  return <Account />;
}
