'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { FileJson, Pencil, Printer, Route } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import type { Change } from '@/domain/change/change';
import { EDITABLE_STATES } from '@/domain/change/states';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { Link } from '@/ui/link';
import { loadOnOpening } from '@/ui/load-on-opening';
import { type MenuEntry, RowActions } from '@/ui/menu';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { download } from '@/ui/table/csv';
import { showToast } from '@/ui/toast';
import { RelativeTime } from '@/ui/values';
import {
  ACTION_LABELS,
  type ChangeAction,
  findNextStep,
  isPaused,
  isWorking,
} from '../../shared/changes/change-labels';
import { ChangeStateView } from '../../shared/changes/change-state';
import { DetailPage } from '../../shared/detail-page';
import { loadTab } from '../../shared/load-tab';
import { SourceView } from '../../shared/managed-notice';
import { pathCheckPath } from '../../shared/reach/ends';
import { formatTenants } from '../change-columns';
import { type Step, useChangeSteps } from '../use-change-steps';
import { ApprovalsSection } from './approvals-section';
import { ContentSection } from './content-section';
import { HistorySection } from './history-section';
import { ChangeProblems } from './problems';
import type { AskedStep } from './step-dialog';
import { WatchSection } from './watch-section';

const DifferenceSection = loadTab(() => import('./difference-section').then((module) => module.DifferenceSection));
const ImpactSection = loadTab(() => import('./impact-section').then((module) => module.ImpactSection));
const UndoSection = loadTab(() => import('./undo-section').then((module) => module.UndoSection));
const RolloutSection = loadTab(() => import('./rollout-section').then((module) => module.RolloutSection));
const isOpen = () => true;
const SettingsDrawer = loadOnOpening(() => import('./settings-drawer').then((module) => module.SettingsDrawer), isOpen);
const StepDialog = loadOnOpening(() => import('./step-dialog').then((module) => module.StepDialog), isOpen);
const ApplyChangeDialog = loadOnOpening(
  () => import('./apply-change-dialog').then((module) => module.ApplyChangeDialog),
  isOpen,
);

const POLL_MS = 3000;

/** One change: what it consists of, what it does, who approved it, how it is rolled out, and its history. */
export function ChangeDetail({ changeId }: { changeId: string }) {
  const trpc = useTRPC();
  const live = useIsLive();
  const query = useQuery({
    ...trpc.changes.get.queryOptions({ id: changeId }),
    refetchInterval: ({ state }) =>
      state.data && (isWorking(state.data.state) || state.data.removes_log) && !live ? POLL_MS : false,
  });
  return (
    <DetailPage query={query} title={(change) => change.title}>
      {(change) => <Content change={change} />}
    </DetailPage>
  );
}

/** Steps that are taken with one press; the others ask first. */
const DIRECT: readonly ChangeAction[] = ['submit', 'continue', 'confirm'];
/** Steps shown as buttons of their own beside the one that leads on. */
const BESIDE: readonly ChangeAction[] = ['reject', 'roll_back'];

/** Steps of those who apply it, who can also undo it. */
const LEADING: readonly ChangeAction[] = ['apply', 'continue', 'confirm', 'roll_back'];

type Opened = 'edit' | 'apply' | 'break_glass' | AskedStep | null;

function Content({ change }: { change: Change }) {
  const t = useT();
  const [opened, setOpened] = useState<Opened>(null);
  const steps = useChangeSteps(change);
  const record = useRecordDownload(change);
  const { mutate } = steps;
  const take = useCallback(
    (action: ChangeAction) => {
      if (DIRECT.includes(action)) mutate({ step: action as Step });
      else setOpened(action as Opened);
    },
    [mutate],
  );
  const next = findNextStep(change);
  const beside = change.actions.filter((action) => BESIDE.includes(action) && action !== next);
  // Confirming and rolling back are then beside the time left.
  const watches = change.confirm_until !== null;
  const rest = change.actions.filter(
    (action) => action !== next && action !== 'continue' && action !== 'confirm' && !beside.includes(action),
  );
  const close = () => setOpened(null);
  const failure = steps.error ? toFailure(steps.error) : null;
  const entries: MenuEntry[] = [
    ...rest.map(
      (action): MenuEntry => ({
        id: action,
        label: t(ACTION_LABELS[action]),
        icon: action === 'edit' ? <Pencil /> : undefined,
        tone: action === 'withdraw' || action === 'break_glass' ? 'danger' : undefined,
        onSelect: () => take(action),
      }),
    ),
    ...(EDITABLE_STATES.some((one) => one === change.state)
      ? [
          {
            kind: 'link' as const,
            id: 'reach',
            label: t('Path check'),
            icon: <Route />,
            render: <Link href={pathCheckPath({ change_id: change.id })} />,
          },
        ]
      : []),
    { id: 'print', label: t('Print record'), icon: <Printer />, onSelect: () => window.print() },
    { id: 'json', label: t('Download record as JSON'), icon: <FileJson />, onSelect: () => record.mutate() },
  ];
  useStepCommands(change, take);
  const isApplied = change.applied_at !== null;
  const mayLead = change.actions.some((action) => LEADING.includes(action));
  const rollout = <RolloutSection change={change} onEdit={() => setOpened('edit')} />;
  return (
    <>
      <PageTrail crumbs={[{ label: change.title }]} />
      <PageHeader
        title={change.title}
        description={
          <>
            {t.rich('Requested by {name} {at} for {tenants}.', {
              name: change.created_by.name,
              at: <RelativeTime at={change.created_at} />,
              tenants: formatTenants(t, change),
            })}
            {change.managed_by && (
              <p>{t.rich('Edits come from {source}.', { source: <SourceView of={change.managed_by} /> })}</p>
            )}
            {change.description && <p className="[overflow-wrap:anywhere]">{change.description}</p>}
          </>
        }
        badge={
          <>
            <ChangeStateView state={change.state} />
            <Badge>{t('Version {version}', { version: change.version })}</Badge>
          </>
        }
        actions={
          <div className="flex flex-wrap gap-2 print:hidden">
            <RowActions name={change.title} entries={entries} />
            {!watches &&
              beside.map((action) => (
                <Button key={action} variant="danger" onClick={() => take(action)}>
                  {t(ACTION_LABELS[action])}
                </Button>
              ))}
            {next && (!watches || next === 'continue') && (
              <Button variant="primary" pending={steps.isPending} onClick={() => take(next)}>
                {t(ACTION_LABELS[next])}
              </Button>
            )}
          </div>
        }
      />
      {failure && (
        <Notice tone="danger" live title={failure.title}>
          {failure.detail}
        </Notice>
      )}
      <ChangeProblems problems={change.problems} />
      <div className="flex flex-col gap-6">
        {(watches || (change.state === 'applying' && isPaused(change)) || change.state === 'failed') && (
          <WatchSection change={change} pending={steps.isPending} onTake={take} />
        )}
        {/* Once it is applied, its progress comes first. */}
        {isApplied && rollout}
        {mayLead && <UndoSection change={change} />}
        <ContentSection change={change} />
        {!isApplied && <DifferenceSection change={change} />}
        <ImpactSection change={change} />
        <ApprovalsSection change={change} />
        {!isApplied && rollout}
        <HistorySection change={change} />
      </div>
      {opened === 'edit' && <SettingsDrawer change={change} onClose={close} />}
      {(opened === 'apply' || opened === 'break_glass') && (
        <ApplyChangeDialog change={change} isUrgent={opened === 'break_glass'} onClose={close} />
      )}
      {opened !== null && opened !== 'edit' && opened !== 'apply' && opened !== 'break_glass' && (
        <StepDialog key={opened} change={change} step={opened} onClose={close} />
      )}
    </>
  );
}

/** The steps of the change in the palette. */
function useStepCommands({ actions }: Change, take: (action: ChangeAction) => void) {
  const t = useT();
  const names = actions.join();
  useCommands(
    useMemo(
      () =>
        names
          .split(',')
          .filter(Boolean)
          .map((action) => ({
            id: `change.${action}`,
            label: t(ACTION_LABELS[action as ChangeAction]),
            group: t('This change'),
            run: () => take(action as ChangeAction),
          })),
      [t, names, take],
    ),
  );
}

/** Everything about the change in one document, with the hash of the audit chain. */
function useRecordDownload({ id }: Change) {
  const client = useTRPCClient();
  return useMutation({
    mutationFn: () => client.changeRollout.record.query({ id }),
    onSuccess: (record) => {
      const content = new Blob([JSON.stringify(record, null, 2)], { type: 'application/json' });
      download(`change-${id}.json`, content);
    },
    onError: (error) => {
      const { title, detail } = toFailure(error);
      showToast('danger', { title, description: detail });
    },
  });
}
