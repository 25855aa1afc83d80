import type { ReactNode } from 'react';
import { AuthFrame } from '@/features/shared/auth-frame';
import { Brand } from '@/features/shared/brand';

export default function AuthLayout({ children }: { children: ReactNode }) {
  return <AuthFrame brand={<Brand />}>{children}</AuthFrame>;
}
