'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { toOwner } from '@/domain/permissions';
import type { PolicyTest } from '@/domain/policy-tests/definition';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Properties } from '@/ui/properties';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { Mono, RelativeTime } from '@/ui/values';
import { DeleteMenu, EditButton } from '../shared/detail-actions';
import { DetailPage } from '../shared/detail-page';
import { PolicyLink } from '../shared/entity-links';
import { ManagedNotice } from '../shared/managed-notice';
import { EXPECTATION_LABELS, packetText, serviceText, UNKNOWN_LABELS } from '../shared/policy-tests/test-labels';
import { TestResult } from '../shared/policy-tests/test-views';
import { usePermissions } from '../shared/use-permissions';
import { DeleteTestDialog } from './delete-test-dialog';

const EditTestDrawer = loadOnOpening(() => import('./edit-test-drawer').then((module) => module.EditTestDrawer));

/** One policy test: what it asserts, its result, and why. */
export function TestDetail({ testId }: { testId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.policyTests.get.queryOptions({ id: testId }));
  return (
    <DetailPage query={query} title={(item) => item.name}>
      {(test) => <Content test={test} />}
    </DetailPage>
  );
}

function Content({ test }: { test: PolicyTest }) {
  const t = useT();
  const router = useRouter();
  const { reason } = usePermissions();
  const [dialog, setDialog] = useState<'edit' | 'delete' | null>(null);
  const close = () => setDialog(null);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const release = useMutation(
    trpc.policyTests.release.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.policyTests.pathFilter());
        showToast('ok', { title: t('Policy test released') });
      },
    }),
  );
  const writeReason =
    reason('policy_test:write', test) ?? (test.protected ? t('Change it under Protected connections.') : null);
  const { failing_since: since, checked_at: checked } = test;
  return (
    <>
      <PageTrail crumbs={[{ label: test.name }]} />
      <PageHeader
        title={test.name}
        description={test.reason || undefined}
        badge={
          <>
            <TestResult test={test} />
            {test.protected && <Badge>{t('Protected connection')}</Badge>}
            {test.tenant_name && <Badge>{test.tenant_name}</Badge>}
            {test.project_name && <Badge>{t('Project {name}', { name: test.project_name })}</Badge>}
          </>
        }
        actions={
          <>
            <EditButton onClick={() => setDialog('edit')} disabledReason={writeReason} />
            <DeleteMenu
              name={test.name}
              label={t('Delete policy test')}
              onSelect={() => setDialog('delete')}
              disabledReason={writeReason}
            />
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <ManagedNotice object={test} disabledReason={reason('policy_test:write', toOwner(test))} release={release} />
        <Result test={test} />
        <Section title={t('Assertion')}>
          <Properties
            columns={2}
            items={[
              { label: t('Expectation'), value: t(EXPECTATION_LABELS[test.expect]) },
              { label: t('Service'), value: <Mono>{serviceText(t, test)}</Mono> },
              { label: t('From'), value: <Mono>{test.from.join(', ')}</Mono> },
              { label: t('To'), value: <Mono>{test.to.join(', ')}</Mono> },
              { label: t('Owner'), value: test.owner },
              { label: t('Evaluated'), value: checked && <RelativeTime at={checked} /> },
              { label: t('Failing since'), value: since && <RelativeTime at={since} /> },
            ]}
          />
        </Section>
      </div>
      {dialog === 'edit' && <EditTestDrawer test={test} onClose={close} />}
      {dialog === 'delete' && (
        <DeleteTestDialog test={test} onClose={close} onDeleted={() => router.replace(paths.policyTests())} />
      )}
    </>
  );
}

const TONES = { pass: 'ok', fail: 'danger', unknown: 'warn' } as const;

/** The result with the packet that shows it, what decides, the event behind it, and where nothing filters. */
function Result({ test }: { test: PolicyTest }) {
  const t = useT();
  const { counterexample, deciding, caused_by: cause, not_filtered: open, not_filtered_total: total } = test;
  const titles = {
    pass: t('The test passes for all pairs of addresses'),
    fail: t('A packet contradicts the test'),
    unknown: t('The test is not proven'),
  };
  return (
    <>
      <Notice tone={TONES[test.result]} title={titles[test.result]}>
        {test.unknown_reason && <p>{t(UNKNOWN_LABELS[test.unknown_reason])}</p>}
        {counterexample && <p className="mono">{packetText(counterexample)}</p>}
        {deciding && (
          <p>
            {deciding.side === 'source' ? t('Decided at the source:') : t('Decided at the destination:')}{' '}
            {deciding.explanation}
            {deciding.policy_id && deciding.policy_name && (
              <>
                {' '}
                <PolicyLink id={deciding.policy_id} name={deciding.policy_name} />
              </>
            )}
          </p>
        )}
        {cause && (
          <p>
            {t('Cause:')} {cause.text} <RelativeTime at={cause.at} />
          </p>
        )}
      </Notice>
      {total > 0 && (
        <Notice
          tone="info"
          title={t('{n, plural, one {Nothing filters at one place} other {Nothing filters at # places}}', { n: total })}
        >
          <p>{open.map(({ name }) => name).join(', ')}</p>
        </Notice>
      )}
    </>
  );
}
