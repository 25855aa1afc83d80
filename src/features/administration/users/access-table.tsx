'use client';
import { useQuery } from '@tanstack/react-query';
import { PERMISSIONS } from '@/domain/permissions';
import type { User, UserAccess } from '@/domain/user';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Notice } from '@/ui/notice';
import { Skeleton } from '@/ui/skeleton';
import { PERMISSION_WORDS } from '../../shared/permissions/permission-words';
import { QueryView } from '../../shared/query-view';
import { AccessQuestion } from './access-question';
import { reasonText } from './access-words';

type Row = UserAccess['permissions'][number];

/** What a user may do, permission by permission, and why or why not. */
export function AccessTable({ user }: { user: User }) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.users.access.queryOptions({ id: user.id }), staleTime: 0 });
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-64" />}>
      {(access) => (
        <>
          {access.second_factor_missing && (
            <Notice tone="warn" title="A second factor is not set up yet">
              A role asks for one. Until it is set up the account may do nothing else, whatever stands below.
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
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <section aria-label="Access" tabIndex={0} className="min-w-0 shrink-0 overflow-x-auto rounded-lg border bg-surface">
      <table className="w-full min-w-[40rem] text-left">
        <caption className="sr-only">What {user.email} may do</caption>
        <thead className="border-b text-muted">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Permission
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Granted
            </th>
            <th scope="col" className="px-3 py-1.5 font-medium">
              Why
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
  const { permission, granted, tenants, reasons } = row;
  const known = PERMISSIONS.find((one) => one === permission);
  return (
    <tr className="border-b align-top last:border-b-0">
      <th scope="row" className="px-3 py-1.5 font-normal">
        <span className="mono">{permission}</span>
        <span className="block text-sm text-faint">
          {known ? PERMISSION_WORDS[known] : 'Everything, and changing the settings'}
        </span>
      </th>
      <td className="px-3 py-1.5">
        {granted === 'all' && <Badge tone="ok">Everywhere</Badge>}
        {granted === 'tenants' && (
          <span className="flex flex-wrap gap-1">
            {tenants.map(({ id, name }) => (
              <Badge key={id} tone="ok">
                {name}
              </Badge>
            ))}
          </span>
        )}
        {granted === 'none' && <Badge tone="off">No</Badge>}
      </td>
      <td className="px-3 py-1.5 text-muted">
        {!active ? (
          'The account is deactivated.'
        ) : reasons.length === 0 ? (
          'No role of this user has it.'
        ) : (
          <ul>
            {reasons.map((reason) => (
              <li key={reason.assignment_id}>{reasonText(reason)}</li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
