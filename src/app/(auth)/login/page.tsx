import type { Metadata } from 'next';
import { SignIn } from '@/features/auth/sign-in';

export const metadata: Metadata = { title: 'Sign in' };

export default async function LoginPage({ searchParams }: { searchParams: Promise<Record<string, unknown>> }) {
  const { next, step, problem } = await searchParams;
  return (
    <SignIn
      next={typeof next === 'string' ? next : null}
      asksCode={step === 'code'}
      problem={typeof problem === 'string' ? problem : null}
    />
  );
}
