import { PROVIDER_PROBLEMS } from '@/domain/choices';
import type { ProviderProblem } from '@/domain/sign-in-provider';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';

const WORDS: Record<ProviderProblem, readonly [title: string, text: string]> = {
  disabled: [msg('This sign-in method is disabled'), msg('Use your password, or contact an administrator.')],
  unreachable: [
    msg('Cannot reach the sign-in provider'),
    msg('Try again. If the problem persists, contact an administrator.'),
  ],
  refused: [msg('Sign-in refused by the provider'), msg('Try again, or contact the operator of the sign-in provider.')],
  expired: [msg('Sign-in expired, or started in another browser'), msg('Start again with the button below.')],
  invalid: [
    msg('Invalid response from the sign-in provider'),
    msg(
      'Start again with the button below. If the problem persists, contact an administrator: the log contains details.',
    ),
  ],
  unknown_account: [msg('You have no Fabric account'), msg('Ask an administrator to create an account.')],
  email_not_verified: [
    msg('The provider has not verified your email address'),
    msg('Verify the address with the provider, then sign in again, or contact an administrator.'),
  ],
  email_taken: [
    msg('Another account has your email address'),
    msg('Sign in with your password, or ask an administrator to link the accounts.'),
  ],
  inactive: [msg('Your account is deactivated'), msg('Contact an administrator.')],
  groups_unknown: [
    msg('The provider did not send your groups'),
    msg(
      "You are in too many groups for the provider's response. Ask an administrator to have the provider send only the groups that matter here.",
    ),
  ],
  too_many: [msg('Too many failed attempts'), msg('Wait a few minutes, then try again.')],
};

const isKnown = (text: string): text is ProviderProblem => (PROVIDER_PROBLEMS as readonly string[]).includes(text);

/** Why sign-in through the provider failed, as text. */
export function ProviderProblemNotice({ problem }: { problem: string }) {
  const t = useT();
  const [title, text] = WORDS[isKnown(problem) ? problem : 'invalid'];
  return (
    <Notice tone="danger" title={t(title)} live>
      {t(text)}
    </Notice>
  );
}
