'use client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { GitCompare, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Policy, PolicyVersion } from '@/domain/policies';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { createColumnHelper } from '@/ui/columns';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Dialog } from '@/ui/dialog';
import { showToast } from '@/ui/toast';
import { ChangeRefusal } from '../../shared/changes/change-refusal';
import { withoutProposed } from '../../shared/changes/proposed-change';
import { declareList } from '../../shared/list/declare-list';
import { ListView } from '../../shared/list/list-view';
import { useList, useSelection } from '../../shared/list/use-list';
import { usePermissions } from '../../shared/use-permissions';
import { VersionCompare } from './version-compare';

const VERSIONS = declareList({
  from: 'policies.versions',
  name: 'policy-versions',
  label: msg('Policy versions'),
  noun: { one: msg('version'), many: msg('versions') },
  sorts: ['version'],
  defaultSort: '-version',
  filters: {},
  rowId: (version) => version.id,
  empty: { title: msg('No versions'), text: msg('Each change to the policy creates a version.') },
});
const make = createColumnHelper<PolicyVersion>();

const columnsFor = (t: Translate, current: number) => [
  make.text('version', t('Version'), (version) => String(version.version), {
    width: 130,
    sortable: true,
    sortFirst: 'desc',
    render: (version) => (
      <span className="inline-flex items-center gap-1.5 tabular-nums">
        {version.version}
        {version.version === current && <Badge>{t('Current')}</Badge>}
      </span>
    ),
  }),
  make.time('created_at', t('Saved'), (version) => version.created_at),
  make.text(
    'author_name',
    t('By'),
    (version) => version.author_name ?? (version.author_id ? t('Deleted user') : t('Service')),
    {
      width: 180,
    },
  ),
  make.text('reason', t('Reason'), (version) => version.reason, { width: 220, grow: true }),
];

/** Every version with its author and reason; two are compared, an old one is brought back. */
export function VersionsTab({ policy }: { policy: Policy }) {
  const t = useT();
  const { reason } = usePermissions();
  const [compared, setCompared] = useState<{ from: number; to: number } | null>(null);
  const [reverting, setReverting] = useState<PolicyVersion | null>(null);
  const columns = useMemo(() => columnsFor(t, policy.version), [t, policy.version]);
  const list = useList(VERSIONS, { within: { id: policy.id }, columns });
  const { chosen, selection, select } = useSelection(list);
  const writeReason = reason('policy:write', policy);
  const compare = () => {
    const versions = chosen.map(({ version }) => version);
    setCompared({ from: Math.min(...versions), to: Math.max(...versions) });
  };
  return (
    <>
      <ListView
        of={list}
        onRowOpen={(version) =>
          setCompared(
            version.version === 1
              ? { from: 1, to: policy.version }
              : { from: version.version - 1, to: version.version },
          )
        }
        selection={selection}
        onSelectionChange={select}
        bulkActions={
          <Button
            size="sm"
            icon={<GitCompare size={14} />}
            onClick={compare}
            disabledReason={chosen.length !== 2 && t('Select two versions')}
          >
            {t('Compare')}
          </Button>
        }
        rowActions={(version) => ({
          name: t('version {version}', { version: version.version }),
          entries: [
            {
              id: 'compare',
              label: t('Compare with current version'),
              icon: <GitCompare />,
              onSelect: () => setCompared({ from: version.version, to: policy.version }),
              disabledReason: version.version === policy.version && t('This is the current version.'),
            },
            {
              id: 'revert',
              label: t('Restore this version'),
              icon: <Undo2 />,
              onSelect: () => setReverting(version),
              disabledReason: writeReason ?? (version.version === policy.version && t('This is the current version.')),
            },
          ],
        })}
      />
      <Dialog
        open={compared !== null}
        onOpenChange={(open) => !open && setCompared(null)}
        size="lg"
        title={compared ? t('Version {from} to {to}', compared) : ''}
        description={t('What was removed, and what replaced it.')}
      >
        {compared && <VersionCompare policyId={policy.id} from={compared.from} to={compared.to} />}
      </Dialog>
      {reverting && <RevertDialog policy={policy} version={reverting} onClose={() => setReverting(null)} />}
    </>
  );
}

type RevertProps = { policy: Policy; version: PolicyVersion; onClose: () => void };

function RevertDialog({ policy, version, onClose }: RevertProps) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const revert = useMutation(
    trpc.policies.revert.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.policies.get.queryKey({ id: saved.id }), saved);
        void queryClient.invalidateQueries(trpc.policies.pathFilter());
        showToast('ok', {
          title: t('Version {saved} restores version {version}', {
            saved: saved.version,
            version: version.version,
          }),
          description: saved.cleanup.length > 0 ? t('Policy rules are being removed from the workloads.') : undefined,
        });
        onClose();
      },
    }),
  );
  // The versions that are compared here are those that are sent.
  const [current] = useState(policy.version);
  const failure = revert.error ? toFailure(revert.error) : null;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('Restore version {version}?', { version: version.version })}
      confirmLabel={t('Save version {version} as version {next}', {
        next: current + 1,
        version: version.version,
      })}
      tone="primary"
      pending={revert.isPending}
      error={withoutProposed(failure)}
      onConfirm={() => revert.mutate({ id: policy.id, to_version: version.version, version: current })}
    >
      <ChangeRefusal failure={failure} />
      <p>
        {t(
          'Later versions stay in the history. Workloads change when the policy is applied. If the restored version was in audit mode or disabled, its rules are removed immediately.',
        )}
      </p>
      <VersionCompare policyId={policy.id} from={current} to={version.version} />
    </ConfirmDialog>
  );
}
