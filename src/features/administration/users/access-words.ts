import type { AccessAnswer, Lack } from '@/domain/answer-access';
import type { UserAccess } from '@/domain/user';

type Reason = UserAccess['permissions'][number]['reasons'][number];

const roleText = ({ role_title, tenant_name }: Pick<Reason, 'role_title' | 'tenant_name'>) =>
  `${role_title}${tenant_name ? ` in ${tenant_name}` : ''}`;

/** What one role has to do with a permission. */
export function reasonText(reason: Reason): string {
  const role = roleText(reason);
  if (reason.effect === 'gives') return `${role} gives it.`;
  if (reason.effect === 'expired') return `${role} would give it, but has expired.`;
  return `${role} has it, but it counts only in a role for the whole installation.`;
}

const LACKS: Record<Lack, (near: readonly Reason[]) => string> = {
  deactivated: () => 'The account is deactivated.',
  second_factor: () => 'A role asks for a second factor, which is not set up yet.',
  expired: (near) => near.map(reasonText).join(' '),
  platform_only: (near) => near.map(reasonText).join(' '),
  elsewhere: (near) =>
    near
      .map((reason) => (reason.effect === 'gives' ? `${roleText(reason)} gives it, but not here.` : reasonText(reason)))
      .join(' '),
  no_role: () => 'No role of this user has it.',
};

/** By which roles somebody may do something, or what is lacking. */
export function answerText(answer: AccessAnswer): string {
  return answer.allowed ? answer.by.map(reasonText).join(' ') : LACKS[answer.lack](answer.near);
}
