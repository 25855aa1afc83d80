import { msg, type Translate } from '@/lib/i18n/translator';
import type { Failure } from '@/lib/problem';

/** What the sign-in page shows of a refusal; `wait` are seconds for which another try is useless. */
export type SignInProblem = { failure: Failure; wait: number | null };

/** Why an account of the directory does not get in, although its password may be right. */
const DIRECTORY: Readonly<Record<string, string>> = {
  directory_unavailable: msg('The directory does not answer. Try again later. Local accounts can sign in.'),
  directory_disabled: msg('Your account in the directory is disabled. Contact its administrator.'),
  directory_no_group: msg('None of your directory groups gives access to Fabric. Contact an administrator.'),
  directory_no_email: msg('Your account in the directory has no email address. Contact its administrator.'),
  directory_email_taken: msg('An account of Fabric has your email address already. Contact an administrator.'),
  directory_inactive: msg('Your account is not active. Contact an administrator.'),
};

/** Words for people instead of the API's: a wrong password is no missing session. */
export function signInProblem(t: Translate, failure: Failure): SignInProblem {
  const wait = failure.retry_after !== undefined && failure.retry_after > 0 ? failure.retry_after : null;
  if (failure.status === 401 && failure.extra?.reason === 'wrong_code') {
    return {
      failure: {
        ...failure,
        title: t('Wrong code'),
        detail: t(
          'The code may have been used already, or the clock of your phone may be wrong. Wait for the next code.',
        ),
        errors: undefined,
      },
      wait,
    };
  }
  if (failure.status === 401 && failure.extra?.reason === 'wrong_passkey') {
    return {
      failure: {
        ...failure,
        title: t('Passkey not accepted'),
        detail: t('Try again, or use another passkey or a code.'),
        errors: undefined,
      },
      wait,
    };
  }
  if (failure.status === 401 && failure.extra?.reason === 'passkey_counter') {
    return {
      failure: {
        ...failure,
        title: t('Passkey may have been copied'),
        detail: t('Its counter did not grow. Use another factor, then remove this passkey from your account.'),
        errors: undefined,
      },
      wait,
    };
  }
  const reason = DIRECTORY[String(failure.extra?.reason)];
  if (reason !== undefined) {
    return { failure: { ...failure, title: t('Sign-in not possible'), detail: t(reason), errors: undefined }, wait };
  }
  if (failure.status === 401 && failure.extra?.reason === 'challenge_over') {
    return { failure: { ...failure, title: t('Sign in again'), errors: undefined }, wait };
  }
  if (failure.status === 401) {
    return {
      failure: {
        ...failure,
        title: t('Wrong email address or password'),
        detail: t('Check the email address and password, then try again. An administrator can set a new password.'),
        errors: undefined,
      },
      wait,
    };
  }
  if (failure.status === 429) {
    return { failure: { ...failure, title: t('Too many attempts'), errors: undefined }, wait };
  }
  return { failure, wait };
}

/** `0:42`, `12:05`, `1:00:00`: what is left of a wait. */
export function formatWait(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
