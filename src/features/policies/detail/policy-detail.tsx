'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Eye, GitPullRequestArrow, Pencil, Play, Power, ShieldCheck, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { toOwner } from '@/domain/permissions';
import type { Policy } from '@/domain/policies';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useIsLive } from '@/lib/live-updates';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { URL_FLAG, useUrlValue } from '@/lib/url-state';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { EmptyState } from '@/ui/empty-state';
import { loadOnOpening } from '@/ui/load-on-opening';
import { RowActions } from '@/ui/menu';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Tabs } from '@/ui/tabs';
import { showToast } from '@/ui/toast';
import { DeploymentState } from '../../shared/deployment-state';
import { EditButton } from '../../shared/detail-actions';
import { DetailPage } from '../../shared/detail-page';
import { PolicyMode } from '../../shared/enforcement-mode';
import { loadTab } from '../../shared/load-tab';
import { ManagedNotice } from '../../shared/managed-notice';
import { AsOfButton, PastNotice, usePastTime } from '../../shared/past/as-of';
import { DriftLink, ReachLink } from '../../shared/traffic-links';
import { usePermissions } from '../../shared/use-permissions';
import { useUrlTab } from '../../shared/use-url-state';
import type { SwitchKind } from '../apply/switch-dialog';
import { allReasons, getDisplayStatus } from '../policy-labels';
import { OpenChanges } from './open-changes';
import { PolicyOverview } from './policy-overview';
import { VersionBehind } from './version-behind';

const CoverageTab = loadTab(() => import('./coverage-tab').then((module) => module.CoverageTab));
const DeploymentsTab = loadTab(() => import('./deployments-tab').then((module) => module.DeploymentsTab));
const PolicyHygiene = loadTab(() => import('../../shared/hygiene/hygiene-list').then((module) => module.PolicyHygiene));
const PolicyTests = loadTab(() => import('./policy-tests').then((module) => module.PolicyTests));
const PreviewTab = loadTab(() => import('./preview-tab').then((module) => module.PreviewTab));
const RulesTab = loadTab(() => import('./rules-tab').then((module) => module.RulesTab));
const VersionsTab = loadTab(() => import('./versions-tab').then((module) => module.VersionsTab));

const isOpen = () => true;
const ApplyDialog = loadOnOpening(() => import('../apply/apply-dialog').then((module) => module.ApplyDialog), isOpen);
const DeletePolicyDialog = loadOnOpening(
  () => import('../apply/delete-policy-dialog').then((module) => module.DeletePolicyDialog),
  isOpen,
);
const SaveAsChange = loadOnOpening(
  () => import('../../shared/changes/save-as-change').then((module) => module.SaveAsChange),
  isOpen,
);
const SwitchDialog = loadOnOpening(
  () => import('../apply/switch-dialog').then((module) => module.SwitchDialog),
  isOpen,
);

const isWorking = ({ last_deployment: last }: Policy) => last?.status === 'running' || last?.status === 'queued';

const TABS = ['overview', 'rules', 'coverage', 'hygiene', 'preview', 'tests', 'versions', 'deployments'] as const;
/** What is known as of a time in the past. */
const PAST_TABS: readonly (typeof TABS)[number][] = ['overview', 'rules'];
/** Commands that open a tab; the page itself is the first one. */
const TAB_COMMANDS: Record<Exclude<(typeof TABS)[number], 'overview'>, string> = {
  rules: msg('Show rules'),
  coverage: msg('Show coverage'),
  hygiene: msg('Show rule hygiene'),
  preview: msg('Show preview'),
  tests: msg('Show policy tests'),
  versions: msg('Show versions'),
  deployments: msg('Show deployments'),
};

/** One policy: its deployment status, its definition, what applying would change, and what was done; or how it was at an earlier time. */
export function PolicyDetail({ policyId }: { policyId: string }) {
  const trpc = useTRPC();
  const live = useIsLive();
  const [asOf, showTime] = usePastTime();
  const query = useQuery({
    ...trpc.policies.get.queryOptions({ id: policyId, as_of: asOf ?? undefined }),
    refetchInterval: ({ state }) => (state.data && isWorking(state.data) && !live && asOf === null ? 3000 : false),
  });
  return (
    <>
      <PastNotice at={asOf} onChange={showTime} />
      <DetailPage query={query} title={(item) => item.name}>
        {(policy) => <Content policy={policy} />}
      </DetailPage>
    </>
  );
}

function Content({ policy }: { policy: Policy }) {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [asOf, showTime] = usePastTime();
  const as_of = asOf ?? undefined;
  const [chosen, openTab] = useUrlTab(TABS, (tab) => paths.policy({ policyId: policy.id, tab, as_of }));
  const isShown = (tab: (typeof TABS)[number]) => asOf === null || PAST_TABS.includes(tab);
  const tab = isShown(chosen) ? chosen : 'overview';
  const [dialog, setDialog] = useState<'apply' | 'delete' | 'change' | SwitchKind | null>(null);
  const [applyAsked, setApplyAsked] = useUrlValue('apply', URL_FLAG);
  const close = () => {
    setDialog(null);
    if (applyAsked) void setApplyAsked(null);
  };
  const { enforcement_mode: mode } = policy.definition;
  const pastReason = asOf === null ? null : t('Show now to edit it');
  const writeReason = pastReason ?? reason('policy:write', policy);
  const applyReason = pastReason ?? reason('policy:apply', policy) ?? applyRefusal(t, policy);
  // A project's people read a policy of the tenant that touches the project, and nothing of what it does elsewhere.
  const whole = reason('policy:read', policy) && (
    <EmptyState title={t('Requires a tenant-wide role')}>
      {t("Only users with a role for the whole tenant can view this part of the tenant's policies.")}
    </EmptyState>
  );
  const testsHidden = (
    <EmptyState title={t('Requires a permission')}>
      {t('Ask an administrator for a role that includes policy tests.')}
    </EmptyState>
  );
  const edit = () => router.push(paths.editPolicy({ policyId: policy.id }));
  const switches = [
    policy.enabled
      ? { kind: 'disable' as const, label: t('Disable policy'), icon: <Ban />, tone: 'danger' as const }
      : { kind: 'enable' as const, label: t('Enable policy'), icon: <Power /> },
    mode === 'audit'
      ? { kind: 'enforce' as const, label: t('Switch to enforced'), icon: <ShieldCheck /> }
      : { kind: 'audit' as const, label: t('Switch to audit mode'), icon: <Eye />, tone: 'danger' as const },
  ];
  useCommands(
    useMemo(() => {
      const group = t('This policy');
      const write = [
        {
          id: 'policy.edit',
          label: t('Edit policy'),
          group,
          icon: <Pencil />,
          run: () => router.push(paths.editPolicy({ policyId: policy.id })),
        },
        { id: 'policy.delete', label: t('Delete policy'), group, icon: <Trash2 />, run: () => setDialog('delete') },
      ];
      return [
        ...(applyReason === null
          ? [{ id: 'policy.apply', label: t('Apply policy'), group, icon: <Play />, run: () => setDialog('apply') }]
          : []),
        ...(writeReason === null ? write : []),
        ...TABS.flatMap((tab) =>
          tab === 'overview' || (as_of !== undefined && !PAST_TABS.includes(tab))
            ? []
            : {
                id: `policy.tab.${tab}`,
                label: t(TAB_COMMANDS[tab]),
                group,
                run: () => router.push(paths.policy({ policyId: policy.id, tab, as_of })),
              },
        ),
      ];
    }, [t, applyReason, writeReason, router, policy.id, as_of]),
  );
  return (
    <>
      <PageTrail crumbs={[{ label: policy.name }]} />
      <PageHeader
        title={policy.name}
        description={policy.description || undefined}
        badge={
          <>
            <DeploymentState
              status={policy.deployment_status}
              reasons={allReasons(policy)}
              shown={getDisplayStatus(policy)}
              working={isWorking(policy)}
            />
            <PolicyMode mode={mode} enabled={policy.enabled} />
            <Badge>{t('Version {version}', { version: policy.version })}</Badge>
          </>
        }
        actions={
          <>
            <ReachLink from={policy.definition.sources} to={policy.definition.targets} />
            <DriftLink filter={{ policy_id: policy.id }} />
            <AsOfButton at={asOf} onChange={showTime} />
            <EditButton onClick={edit} disabledReason={writeReason} />
            {mode === 'audit' && policy.enabled && (
              <Button
                icon={<ShieldCheck size={14} />}
                onClick={() => setDialog('enforce')}
                disabledReason={writeReason}
              >
                {t('Switch to enforced')}
              </Button>
            )}
            <RowActions
              name={policy.name}
              entries={[
                ...switches.map(({ kind, ...entry }) => ({
                  id: kind,
                  ...entry,
                  onSelect: () => setDialog(kind),
                  disabledReason: writeReason,
                })),
                {
                  id: 'change',
                  label: t('Save as change…'),
                  icon: <GitPullRequestArrow />,
                  onSelect: () => setDialog('change'),
                  disabledReason: writeReason,
                },
                {
                  id: 'delete',
                  label: t('Delete policy'),
                  icon: <Trash2 />,
                  tone: 'danger',
                  onSelect: () => setDialog('delete'),
                  disabledReason: writeReason,
                },
              ]}
            />
            <Button
              variant="primary"
              icon={<Play size={14} />}
              onClick={() => setDialog('apply')}
              disabledReason={applyReason}
            >
              {t('Apply')}
            </Button>
          </>
        }
      />
      {asOf === null && (
        <>
          <ReleaseNotice policy={policy} />
          <OpenChanges policyId={policy.id} />
          <VersionBehind policy={policy} applyReason={applyReason} onApply={() => setDialog('apply')} />
        </>
      )}
      <Tabs
        label={t('Policy sections')}
        value={tab}
        onValueChange={openTab}
        tabs={[
          {
            value: 'overview',
            label: t('Overview'),
            content: <PolicyOverview policy={policy} isPast={asOf !== null} />,
          },
          { value: 'rules', label: t('Rules'), count: policy.rules.length, content: <RulesTab policy={policy} /> },
          { value: 'coverage', label: t('Coverage'), content: whole ?? <CoverageTab policyId={policy.id} /> },
          { value: 'hygiene', label: t('Hygiene'), content: whole ?? <PolicyHygiene policyId={policy.id} /> },
          { value: 'preview', label: t('Preview'), content: whole ?? <PreviewTab policy={policy} /> },
          {
            value: 'tests',
            label: t('Tests'),
            content: reason('policy_test:read', policy) ? testsHidden : <PolicyTests policyId={policy.id} />,
          },
          {
            value: 'versions',
            label: t('Versions'),
            count: policy.version,
            content: whole ?? <VersionsTab policy={policy} />,
          },
          { value: 'deployments', label: t('Deployments'), content: whole ?? <DeploymentsTab policyId={policy.id} /> },
        ].filter(({ value }) => isShown(value as (typeof TABS)[number]))}
      />
      {(dialog === 'apply' || (applyAsked && dialog === null && applyReason === null)) && (
        <ApplyDialog policy={policy} onClose={close} />
      )}
      {dialog === 'delete' && (
        <DeletePolicyDialog policy={policy} onClose={close} onDeleted={() => router.replace(paths.policies())} />
      )}
      {dialog === 'change' && (
        <SaveAsChange
          item={{ kind: 'policy', policy_id: policy.id, base_version: policy.version }}
          title={t('Apply {name}', { name: policy.name })}
          onClose={close}
        />
      )}
      {dialog !== null && dialog !== 'apply' && dialog !== 'delete' && dialog !== 'change' && (
        <SwitchDialog
          policy={policy}
          kind={dialog}
          onClose={close}
          onDone={(kind) => {
            const next = applySwitch(policy, kind);
            const applies = reason('policy:apply', policy) === null && applyRefusal(t, next) === null;
            setDialog(applies ? 'apply' : null);
            openTab(applies || kind === 'enforce' || kind === 'enable' ? 'preview' : 'deployments');
          }}
        />
      )}
    </>
  );
}

function ReleaseNotice({ policy }: { policy: Policy }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const release = useMutation(
    trpc.policies.release.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        showToast('ok', { title: t('Policy released') });
      },
    }),
  );
  const { reason } = usePermissions();
  const disabledReason = reason('policy:write', toOwner(policy));
  return <ManagedNotice object={policy} disabledReason={disabledReason} release={release} />;
}

type State = { enabled: boolean; definition: Pick<Policy['definition'], 'enforcement_mode'> };

/** The state after a switch. */
const applySwitch = ({ enabled, definition }: State, kind: SwitchKind): State => ({
  enabled: kind === 'enable' || (kind !== 'disable' && enabled),
  definition: {
    enforcement_mode: kind === 'enforce' ? 'enforced' : kind === 'audit' ? 'audit' : definition.enforcement_mode,
  },
});

/** Why a policy cannot be applied in its state, with the remedy; null when it can. The service decides by the same states. */
function applyRefusal(t: Translate, { enabled, definition }: State): string | null {
  if (!enabled) return t('Enable the policy before applying it.');
  if (definition.enforcement_mode === 'audit') {
    return t('Switch the policy to enforced before applying it. Audit mode only evaluates the rules.');
  }
  return null;
}
