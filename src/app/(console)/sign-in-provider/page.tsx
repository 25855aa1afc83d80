import type { Metadata } from 'next';
import { ProviderPage } from '@/features/administration/sign-in-provider/provider-page';

export const metadata: Metadata = { title: 'Sign-in provider' };

export default function SignInProviderPage() {
  return <ProviderPage />;
}
