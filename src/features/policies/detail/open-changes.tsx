'use client';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Notice } from '@/ui/notice';
import { ChangeLink, ChangeStateView } from '../../shared/changes/change-state';

/** More than a few at a time are found in the list of changes. */
const SHOWN = 5;

/** The changes with a policy that have not ended: while one of them is rolled out, the policy can neither be edited nor applied. */
export function OpenChanges({ policyId }: { policyId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery(trpc.changes.list.queryOptions({ policy_id: policyId, status: 'open', limit: SHOWN }));
  if (!data || data.total === 0) return null;
  return (
    <Notice
      title={t('{n, plural, one {The policy is in an open change} other {The policy is in # open changes}}', {
        n: data.total,
      })}
    >
      <ul>
        {data.items.map(({ id, title, state }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3">
            <ChangeLink id={id} title={title} />
            <ChangeStateView state={state} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
