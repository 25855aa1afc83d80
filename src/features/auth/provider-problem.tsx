import { PROVIDER_PROBLEMS, type ProviderProblem } from '@/domain/sign-in-provider';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';

const WORDS: Record<ProviderProblem, readonly [title: string, text: string]> = {
  disabled: [msg('Signing in this way is switched off'), msg('Use your password, or ask an administrator.')],
  unreachable: [msg('The sign-in provider does not answer'), msg('Try again. If it stays, tell an administrator.')],
  refused: [msg('The sign-in provider did not let you in'), msg('Try again, or ask who runs it.')],
  expired: [msg('This sign-in took too long, or began in another browser'), msg('Begin again with the button below.')],
  invalid: [
    msg('The answer of the sign-in provider cannot be used'),
    msg('Begin again with the button below. If it stays, tell an administrator: the log says more.'),
  ],
  unknown_account: [msg('There is no account for you here'), msg('Ask an administrator to create one.')],
  email_not_verified: [
    msg('The provider has not verified your email address'),
    msg('Verify it there, then sign in again; or ask an administrator.'),
  ],
  email_taken: [
    msg('Another account here has your email address'),
    msg('Sign in with your password, or ask an administrator to link the accounts.'),
  ],
  inactive: [msg('Your account is deactivated'), msg('Ask an administrator.')],
  groups_unknown: [
    msg('The provider did not say in which groups you are'),
    msg('You are in too many for its answer. Ask an administrator to let it send only those that matter here.'),
  ],
  too_many: [msg('Too many failed attempts'), msg('Wait a few minutes, then try again.')],
};

const isKnown = (text: string): text is ProviderProblem => (PROVIDER_PROBLEMS as readonly string[]).includes(text);

/** Why signing in through the provider failed, in words. */
export function ProviderProblemNotice({ problem }: { problem: string }) {
  const t = useT();
  const [title, text] = WORDS[isKnown(problem) ? problem : 'invalid'];
  return (
    <Notice tone="danger" title={t(title)} live>
      {t(text)}
    </Notice>
  );
}
