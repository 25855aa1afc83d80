'use client';
import { useQuery } from '@tanstack/react-query';
import type { SecurityGroupUsage } from '@/domain/security-group';
import { formatCount } from '@/lib/format';
import { useTRPC } from '@/lib/trpc';
import { columnsOf } from '@/ui/columns';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { Notice } from '@/ui/notice';
import { Skeleton } from '@/ui/skeleton';
import { PolicyMode } from '../shared/enforcement-mode';
import { QueryView } from '../shared/query-view';
import { PolicyLink } from '../shared/security-links';

type Row = SecurityGroupUsage['policies'][number];

const make = columnsOf<Row>();
const SIDES = { source: 'source', target: 'target' } as const;
const rolesText = (row: Row) => [...new Set(row.references.map(({ side }) => SIDES[side]))].join(' and ');

const COLUMNS = [
  make.text('name', 'Policy', (row) => row.name, {
    width: 180,
    grow: true,
    render: (row) => <PolicyLink id={row.policy_id} name={row.name} />,
  }),
  make.custom('mode', 'Mode', (row) => <PolicyMode mode={row.enforcement_mode} enabled={row.enabled} />, {
    width: 110,
    csv: (row) => (row.enabled ? row.enforcement_mode : 'disabled'),
  }),
  make.text('as', 'Named as', rolesText, { width: 150 }),
];

/** The policies that name a group. */
export function GroupUsage({ groupId }: { groupId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.securityGroups.usage.queryOptions({ id: groupId }));
  return (
    <QueryView query={query} skeleton={<Skeleton className="h-32 w-full" />}>
      {({ policies, hidden }) => (
        <>
          {hidden > 0 && (
            <Notice
              tone="info"
              title={hidden === 1 ? 'One more policy names it' : `${formatCount(hidden)} more policies name it`}
            >
              They belong to tenants that you may not see.
            </Notice>
          )}
          <DataTable
            id="group-usage"
            label="Policies that name the group"
            noun={{ one: 'policy', many: 'policies' }}
            columns={COLUMNS}
            rows={policies}
            rowId={(row) => row.policy_id}
            total={policies.length}
            loading={false}
            error={null}
            height="auto"
            empty={
              <EmptyState title={hidden > 0 ? 'None that you may see' : 'No policy names this group'}>
                In the editor of a policy, choose the group as a source or a target.
              </EmptyState>
            }
          />
        </>
      )}
    </QueryView>
  );
}
