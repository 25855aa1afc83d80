'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { MEMBER_SOURCES, SECURITY_GROUP_MEMBER_SORTS } from '@/domain/choices';
import type { SecurityGroup, SecurityGroupMember } from '@/domain/security-group';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { EmptyState } from '@/ui/empty-state';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../shared/changes/change-refusal';
import { withoutProposed } from '../shared/changes/proposed-change';
import { declareList } from '../shared/list/declare-list';
import { choice } from '../shared/list/filters';
import { ListView } from '../shared/list/list-view';
import { useList, useSelection } from '../shared/list/use-list';
import { usePastTime } from '../shared/past/as-of';
import { SOURCE_LABELS } from './group-labels';
import { memberColumns } from './member-columns';

const MEMBERS = declareList({
  from: 'securityGroups.members',
  name: 'members',
  id: 'group-members',
  label: msg('Members'),
  noun: { one: msg('member'), many: msg('members') },
  search: msg('Search members'),
  sorts: SECURITY_GROUP_MEMBER_SORTS,
  defaultSort: 'workload_name',
  filters: { source: choice(msg('Membership'), MEMBER_SOURCES, (one) => SOURCE_LABELS[one]) },
  columns: memberColumns,
  rowId: (member) => member.workload_id,
  empty: {
    title: msg('No members yet'),
    text: msg(
      'A group without members produces no policy rules. Add workloads, or choose tags that make workloads members.',
    ),
  },
});

type Props = { group: SecurityGroup; onAdd: () => void; onEdit: () => void; writeReason: string | null };

/** The members of a group: those added manually, which can be removed here, and those that are members by tag. */
export function MemberTable({ group, onAdd, onEdit, writeReason }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [asOf] = usePastTime();
  const [removing, setRemoving] = useState<readonly SecurityGroupMember[] | null>(null);
  const list = useList(MEMBERS, { within: { id: group.id, ...(asOf && { as_of: asOf }) } });
  const { chosen, selection, select } = useSelection(list);
  const remove = useMutation(
    trpc.securityGroups.changeMembers.mutationOptions({
      onSuccess: ({ removed }) => {
        void queryClient.invalidateQueries(trpc.securityGroups.pathFilter());
        showToast('ok', { title: t('{n, plural, one {# member removed} other {# members removed}}', { n: removed }) });
        select(new Set());
        setRemoving(null);
      },
    }),
  );
  const failure = remove.error ? toFailure(remove.error) : null;
  const byTag = chosen.filter((member) => member.source === 'tag').length;
  const tagReason = t(
    "This workload is a member by tag. Change the group's tag rule, or the workload's tags on the cluster.",
  );
  const single = removing?.length === 1 ? removing[0]?.workload_name : undefined;
  const count = removing?.length ?? 0;
  const add = (
    <Button variant="primary" icon={<Plus size={14} />} onClick={onAdd} disabledReason={writeReason}>
      {t('Add members')}
    </Button>
  );
  return (
    <>
      <ListView
        of={list}
        selection={selection}
        onSelectionChange={select}
        bulkActions={
          <Button
            size="sm"
            onClick={() => setRemoving(chosen)}
            disabledReason={
              writeReason ??
              (byTag > 0 && t('The selection includes members by tag. Change the tag rule to remove these members.'))
            }
          >
            {t('Remove from group')}
          </Button>
        }
        rowActions={(member) => ({
          name: member.workload_name,
          entries: [
            {
              id: 'remove',
              label: t('Remove from group'),
              tone: 'danger',
              onSelect: () => setRemoving([member]),
              disabledReason: writeReason ?? (member.source === 'tag' && tagReason),
            },
          ],
        })}
        empty={
          <EmptyState
            title={t('No members yet')}
            action={
              <>
                <Button onClick={onEdit} disabledReason={writeReason}>
                  {t('Choose tags')}
                </Button>
                {add}
              </>
            }
          >
            {t(
              'A group without members produces no policy rules. Add workloads, or choose tags that make workloads members.',
            )}
          </EmptyState>
        }
      />
      <ConfirmDialog
        open={removing !== null}
        onOpenChange={(next) => {
          if (next) return;
          remove.reset();
          setRemoving(null);
        }}
        title={
          single === undefined
            ? t('Remove {n, plural, one {# member} other {# members}} from {group}?', { n: count, group: group.name })
            : t('Remove {name} from {group}?', { name: single, group: group.name })
        }
        confirmLabel={t('{n, plural, one {Remove member} other {Remove # members}}', { n: count })}
        pending={remove.isPending}
        error={withoutProposed(failure)}
        onConfirm={() =>
          remove.mutate({
            id: group.id,
            add: [],
            remove: (removing ?? []).map((member) => member.workload_id),
          })
        }
      >
        <ChangeRefusal failure={failure} />
        <p>
          {group.policies_total === 0
            ? t('No policies use this group, so no rules change on any workload.')
            : t(
                'Rules on workloads change the next time the policies that use this group are applied. Until then, these policies are out of sync.',
              )}
        </p>
      </ConfirmDialog>
    </>
  );
}
