import { ProviderPage } from '@/features/administration/sign-in-provider/provider-page';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Sign-in provider'));

export default function SignInProviderPage() {
  return <ProviderPage />;
}
