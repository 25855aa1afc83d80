import { PROVIDER_PROBLEMS, type ProviderProblem } from '@/domain/sign-in-provider';
import { Notice } from '@/ui/notice';

const WORDS: Record<ProviderProblem, readonly [title: string, text: string]> = {
  disabled: ['Signing in this way is switched off', 'Use your password, or ask an administrator.'],
  unreachable: ['The sign-in provider does not answer', 'Try again. If it stays, tell an administrator.'],
  refused: ['The sign-in provider did not let you in', 'Try again, or ask who runs it.'],
  expired: ['This sign-in took too long, or began in another browser', 'Begin again with the button below.'],
  invalid: [
    'The answer of the sign-in provider cannot be used',
    'Begin again with the button below. If it stays, tell an administrator: the log says more.',
  ],
  unknown_account: ['There is no account for you here', 'Ask an administrator to create one.'],
  email_not_verified: [
    'The provider has not verified your email address',
    'Verify it there, then sign in again; or ask an administrator.',
  ],
  email_taken: [
    'Another account here has your email address',
    'Sign in with your password, or ask an administrator to link the accounts.',
  ],
  inactive: ['Your account is deactivated', 'Ask an administrator.'],
  groups_unknown: [
    'The provider did not say in which groups you are',
    'You are in too many for its answer. Ask an administrator to let it send only those that matter here.',
  ],
  too_many: ['Too many failed attempts', 'Wait a few minutes, then try again.'],
};

const isKnown = (text: string): text is ProviderProblem => (PROVIDER_PROBLEMS as readonly string[]).includes(text);

/** Why signing in through the provider failed, in words. */
export function ProviderProblemNotice({ problem }: { problem: string }) {
  const [title, text] = WORDS[isKnown(problem) ? problem : 'invalid'];
  return (
    <Notice tone="danger" title={title} live>
      {text}
    </Notice>
  );
}
