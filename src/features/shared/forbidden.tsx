'use client';
import { Lock } from 'lucide-react';
import { BUILT_IN_ROLES, type Grantable, PERMISSION_REACH } from '@/domain/permissions';
import { useSession } from '@/lib/browser-session';
import { useT } from '@/lib/i18n/use-t';
import { PERMISSION_LABELS } from './permissions/permission-labels';

/** Built-in roles that include the permission, those with the fewest permissions first. */
export const rolesWith = (permission: Grantable): string[] =>
  Object.values<{ title: string; permissions: readonly Grantable[] }>(BUILT_IN_ROLES)
    .filter(({ permissions }) => permissions.includes('*') || permissions.includes(permission))
    .sort((a, b) =>
      a.permissions.includes('*') ? 1 : b.permissions.includes('*') ? -1 : a.permissions.length - b.permissions.length,
    )
    .map(({ title }) => title);

/** In place of what the user may not see: the missing permission, and who can assign it. Without any action, because none would succeed. */
export function Forbidden({ permission }: { permission: Grantable }) {
  const t = useT();
  const state = useSession();
  const grants = state.status === 'signed_in' ? state.user.grants : [];
  const held = grants.find(({ permissions }) => permissions.includes(permission));
  return (
    <div
      role="alert"
      data-forbidden
      className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-10 text-center"
    >
      <Lock size={24} className="text-faint" aria-hidden />
      <div className="flex flex-col gap-2">
        <p className="font-semibold">{t('Not permitted')}</p>
        <p className="text-pretty text-muted">
          {permission === '*'
            ? t('Only a super administrator can view this page.')
            : t.rich('This page requires the permission <id>{permission}</id> ({label}).', {
                permission,
                label: t(PERMISSION_LABELS[permission]),
                id: (inside) => <span className="mono">{inside}</span>,
              })}
        </p>
        {held && (
          <p className="text-pretty text-muted">
            {permission !== '*' && PERMISSION_REACH[permission] === 'tenant'
              ? t('Your role {role} includes it, but it applies only if the role is assigned for the whole tenant.', {
                  role: held.title,
                })
              : t(
                  'Your role {role} includes it, but it applies only if the role is assigned for the whole installation.',
                  { role: held.title },
                )}
          </p>
        )}
        <p className="text-pretty text-muted">
          {t('An administrator can assign you a role that includes it: {roles}, or a custom role.', {
            roles: rolesWith(permission).join(', '),
          })}
        </p>
      </div>
    </div>
  );
}
