import { ProviderPage } from '@/features/administration/sign-in-provider/provider-page';
import { titled } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = titled(msg('Sign-in provider'));

export default function SignInProviderPage() {
  return <ProviderPage />;
}
