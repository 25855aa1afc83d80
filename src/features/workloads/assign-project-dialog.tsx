'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Combobox } from '@/ui/combobox';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import type { Option } from '@/ui/option';
import { showToast } from '@/ui/toast';

const NONE = 'none';

type Props = {
  /** What is assigned, in words: "web-01" or "12 workloads". */
  what: string;
  workloadIds: readonly string[];
  /** Whether they may be taken out of every tenant. */
  mayClear: boolean;
  onClose: () => void;
  onAssigned?: () => void;
};

/** Gives workloads to a project, and so to its tenant. */
export function AssignProjectDialog({ what, workloadIds, mayClear, onClose, onAssigned }: Props) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const label = useId();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Option | null>(null);
  const projects = useQuery(
    trpc.projects.list.queryOptions({ sort: 'name', limit: 100, ...(search !== '' && { q: search }) }),
  );
  const options = useMemo<Option[]>(
    () => [
      ...(mayClear && search === ''
        ? [
            {
              value: NONE,
              label: 'No project',
              description: 'Seen only by people with rights for the whole installation.',
            },
          ]
        : []),
      ...(projects.data?.items.map(({ id, name, tenant_name }) => ({
        value: id,
        label: name,
        description: tenant_name,
      })) ?? []),
    ],
    [projects.data, mayClear, search],
  );
  const assign = useMutation(
    trpc.projects.assignWorkloads.mutationOptions({
      onSuccess: ({ changed }) => {
        void queryClient.invalidateQueries(trpc.workloads.pathFilter());
        void queryClient.invalidateQueries(trpc.projects.pathFilter());
        showToast('ok', { title: changed === 1 ? 'One workload assigned' : `${changed} workloads assigned` });
        onAssigned?.();
        onClose();
      },
    }),
  );
  const failure = assign.error ? failureOf(assign.error) : null;
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={`Assign ${what} to a project`}
      description="Workloads belong to the tenant of their project: its people see them and their addresses and flows."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            pending={assign.isPending}
            disabledReason={chosen === null && 'Choose a project first.'}
            onClick={() =>
              chosen &&
              assign.mutate({
                project_id: chosen.value === NONE ? null : chosen.value,
                workload_ids: [...workloadIds],
              })
            }
          >
            {chosen?.value === NONE ? 'Take out of its project' : chosen ? `Assign to ${chosen.label}` : 'Assign'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {failure && (
          <Notice tone="danger" title={failure.title} live>
            {failure.detail}
          </Notice>
        )}
        <div className="flex flex-col gap-1">
          <span id={label} className="font-medium">
            Project
          </span>
          <Combobox
            aria-label="Project"
            value={chosen}
            onValueChange={setChosen}
            options={options}
            remote={{ onSearch: setSearch, loading: projects.isFetching }}
            placeholder="Type to search projects"
          />
        </div>
        {projects.data?.total === 0 && search === '' && (
          <p className="text-muted">There is no project yet. Create one under Projects.</p>
        )}
      </div>
    </Dialog>
  );
}
