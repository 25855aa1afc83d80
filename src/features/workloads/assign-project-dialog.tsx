'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Combobox } from '@/ui/combobox';
import { Dialog } from '@/ui/dialog';
import { Notice } from '@/ui/notice';
import type { Option } from '@/ui/option';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../shared/changes/change-refusal';
import { withoutProposed } from '../shared/changes/proposed-change';
import { AssignmentPreview } from './assignment-preview';

const NONE = 'none';
const RULES = 'rules';

/** The button names what will happen. */
function submitText(t: Translate, chosen: Option | null): string {
  if (chosen?.value === NONE) return t('Unassign from project');
  if (chosen?.value === RULES) return t('Use mapping rules');
  return chosen ? t('Assign to {project}', { project: chosen.label }) : t('Assign');
}

type Props = {
  /** What is assigned, as text: "web-01" or "12 workloads". */
  what: string;
  workloadIds: readonly string[];
  /** Whether they may be taken out of every tenant. */
  mayClear: boolean;
  onClose: () => void;
  onAssigned?: () => void;
};

/** Gives workloads to a project, and so to its tenant. */
export function AssignProjectDialog({ what, workloadIds, mayClear, onClose, onAssigned }: Props) {
  const t = useT();
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
              label: t('No project'),
              description: t(
                'Visible only to users with installation-wide permissions. Mapping rules do not move the workload.',
              ),
            },
            {
              value: RULES,
              label: t('Use mapping rules'),
              description: t('Pool and tag rules assign the workload now and at every sync.'),
            },
          ]
        : []),
      ...(projects.data?.items.map(({ id, name, tenant_name }) => ({
        value: id,
        label: name,
        description: tenant_name,
      })) ?? []),
    ],
    [projects.data, mayClear, search, t],
  );
  const done = (title: string) => {
    for (const touched of [trpc.workloads, trpc.projects, trpc.mappingRules]) {
      void queryClient.invalidateQueries(touched.pathFilter());
    }
    showToast('ok', { title });
    onAssigned?.();
    onClose();
  };
  const assign = useMutation(
    trpc.projects.assignWorkloads.mutationOptions({
      onSuccess: ({ changed }) =>
        done(t('{n, plural, =1 {One workload assigned} other {# workloads assigned}}', { n: changed })),
    }),
  );
  const follow = useMutation(
    trpc.projects.followMappingRules.mutationOptions({
      onSuccess: ({ changed }) =>
        done(t('{n, plural, =0 {No workloads moved} other {# moved by mapping rules}}', { n: changed })),
    }),
  );
  const submit = () => {
    const workload_ids = [...workloadIds];
    if (chosen?.value === RULES) follow.mutate({ workload_ids });
    else if (chosen) assign.mutate({ project_id: chosen.value === NONE ? null : chosen.value, workload_ids });
  };
  const error = assign.error ?? follow.error;
  const failure = error ? toFailure(error) : null;
  const shownFailure = withoutProposed(failure);
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={t('Assign {what} to a project', { what })}
      description={t(
        'Workloads belong to the tenant of their project. Its users see the workloads, addresses and flows.',
      )}
      footer={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            variant="primary"
            pending={assign.isPending || follow.isPending}
            disabledReason={chosen === null && t('Select a project.')}
            onClick={submit}
          >
            {submitText(t, chosen)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ChangeRefusal failure={failure} />
        {shownFailure && (
          <Notice tone="danger" title={shownFailure.title} live>
            {shownFailure.detail}
          </Notice>
        )}
        <div className="flex flex-col gap-1">
          <span id={label} className="font-medium">
            {t('Project')}
          </span>
          <Combobox
            aria-label={t('Project')}
            value={chosen}
            onValueChange={setChosen}
            options={options}
            remote={{ onSearch: setSearch, loading: projects.isFetching }}
            placeholder={t('Type to search projects')}
          />
        </div>
        {chosen && chosen.value !== RULES && (
          <AssignmentPreview projectId={chosen.value === NONE ? null : chosen.value} workloadIds={workloadIds} />
        )}
        {projects.data?.total === 0 && search === '' && (
          <p className="text-muted">{t('No projects yet. Create one under Projects.')}</p>
        )}
      </div>
    </Dialog>
  );
}
