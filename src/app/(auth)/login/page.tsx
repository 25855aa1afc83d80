import { CHALLENGE_METHODS } from '@/domain/second-factor';
import { SignIn } from '@/features/auth/sign-in';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Sign in'));

export default async function LoginPage({ searchParams }: { searchParams: Promise<Record<string, unknown>> }) {
  const { next, step, methods, problem, signed_out } = await searchParams;
  return (
    <SignIn
      next={typeof next === 'string' ? next : null}
      asks={step === 'code' ? CHALLENGE_METHODS.filter((method) => String(methods).split(',').includes(method)) : null}
      problem={typeof problem === 'string' ? problem : null}
      signedOut={signed_out === 'provider' || signed_out === 'here' ? signed_out : null}
    />
  );
}
