import type { Metadata } from 'next';
import { Setup } from '@/features/setup/setup';

export const metadata: Metadata = { title: 'Setup' };

export default function SetupPage() {
  return <Setup />;
}
