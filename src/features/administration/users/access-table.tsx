'use client';
import { useQuery } from '@tanstack/react-query';
import { PERMISSIONS } from '@/domain/permissions';
import type { User, UserAccess } from '@/domain/user';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PERMISSION_LABELS } from '../../shared/permissions/permission-labels';
import { QueryView } from '../../shared/query-view';
import { EVERYTHING, reasonText } from './access-labels';
import { AccessQuestion } from './access-question';

type Row = UserAccess['permissions'][number];

/** What a user may do, permission by permission, and why or why not. */
export function AccessTable({ user }: { user: User }) {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.users.access.queryOptions({ id: user.id }), staleTime: 0 });
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-64" />}>
      {(access) => (
        <>
          {access.second_factor_missing && (
            <Notice tone="warn" title={t('Second factor not set up yet')}>
              {t('A role requires a second factor. Until it is set up, the permissions below have no effect.')}
            </Notice>
          )}
          <AccessQuestion user={user} access={access} />
          <Permissions user={user} access={access} />
        </>
      )}
    </QueryView>
  );
}

function Permissions({ user, access }: { user: User; access: UserAccess }) {
  const t = useT();
  return (
    <section
      aria-label={t('Access')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
      tabIndex={0}
      className="min-w-0 shrink-0 overflow-x-auto rounded-lg border bg-surface"
    >
      <table className="w-full min-w-[40rem] text-left">
        <caption className="sr-only">{t('Permissions of {user}', { user: user.email })}</caption>
        <thead className="border-b text-muted">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              {t('Permission')}
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              {t('Granted')}
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              {t('Reason')}
            </th>
          </tr>
        </thead>
        <tbody>
          {access.permissions.map((row) => (
            <AccessRow key={row.permission} row={row} active={access.active} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function AccessRow({ row, active }: { row: Row; active: boolean }) {
  const t = useT();
  const { permission, granted, tenants, projects, reasons } = row;
  const known = PERMISSIONS.find((one) => one === permission);
  return (
    <tr className="border-b align-top last:border-b-0">
      <th scope="row" className="px-3 py-1.5 font-normal">
        <span className="mono">{permission}</span>
        <span className="block text-sm text-faint">{t(known ? PERMISSION_LABELS[known] : EVERYTHING)}</span>
      </th>
      <td className="px-3 py-1.5">
        {granted === 'all' && <Badge tone="ok">{t('Everywhere')}</Badge>}
        {granted === 'tenants' && (
          <span className="flex flex-wrap gap-1">
            {[...tenants, ...projects].map(({ id, name }) => (
              <Badge key={id} tone="ok">
                {name}
              </Badge>
            ))}
          </span>
        )}
        {granted === 'none' && <Badge tone="off">{t('No')}</Badge>}
      </td>
      <td className="px-3 py-1.5 text-muted">
        {!active ? (
          t('The account is deactivated.')
        ) : reasons.length === 0 ? (
          t('No role of this user includes this permission.')
        ) : (
          <ul>
            {reasons.map((reason) => (
              <li key={reason.assignment_id}>{reasonText(t, reason)}</li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
