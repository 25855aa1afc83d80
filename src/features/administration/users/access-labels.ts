import type { AccessAnswer, Lack } from '@/domain/evaluate-access';
import type { UserAccess } from '@/domain/user';
import { msg, type Translate } from '@/lib/i18n/translator';
import { roleInPlace } from './user-labels';

type Reason = UserAccess['permissions'][number]['reasons'][number];

/** Label of the permission `*`, which permits everything. */
export const EVERYTHING = msg('All permissions, including settings');

/** What one role has to do with a permission. */
export function reasonText(t: Translate, reason: Reason): string {
  const role = roleInPlace(t, reason);
  if (reason.effect === 'gives') return t('{role} grants this permission.', { role });
  if (reason.effect === 'expired')
    return t('{role} would grant this permission, but the assignment has expired.', { role });
  if (reason.effect === 'tenant_only')
    return t('{role} includes this permission, but it applies only in a role for the whole tenant.', { role });
  return t('{role} includes this permission, but it applies only in a role for the whole installation.', { role });
}

const reasonsText = (t: Translate, near: readonly Reason[]) => near.map((reason) => reasonText(t, reason)).join(' ');

const LACKS: Record<Lack, (t: Translate, near: readonly Reason[]) => string> = {
  deactivated: (t) => t('The account is deactivated.'),
  second_factor: (t) => t('A role requires a second factor, which is not set up yet.'),
  expired: reasonsText,
  platform_only: reasonsText,
  tenant_only: reasonsText,
  elsewhere: (t, near) =>
    near
      .map((reason) =>
        reason.effect === 'gives'
          ? t('{role} grants this permission, but not here.', { role: roleInPlace(t, reason) })
          : reasonText(t, reason),
      )
      .join(' '),
  no_role: (t) => t('No role of this user includes this permission.'),
};

/** Which roles permit a user to do something, or what is missing. */
export function answerText(t: Translate, answer: AccessAnswer): string {
  return answer.allowed ? reasonsText(t, answer.by) : LACKS[answer.lack](t, answer.near);
}
