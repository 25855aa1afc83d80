'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type {
  ProtectedConnection,
  ProtectedConnectionInput,
  ProtectedTemplate,
} from '@/domain/policy-tests/protected-connection';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { FormShell } from '@/ui/form/form-shell';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { Mono } from '@/ui/values';
import { OWN_CONNECTION_LABELS } from '../shared/own-connections/own-connections-notice';
import { TestResult } from '../shared/policy-tests/test-views';
import { QueryView } from '../shared/query-view';
import { useReadAgain } from '../shared/record-cache';
import { usePermissions } from '../shared/use-permissions';
import { useVersionedForm, type VersionedForm } from '../shared/use-versioned-form';
import { RecordOutdated } from '../shared/versioned-form';
import { OwnWorkloads } from './own-workloads';
import { TestEnd } from './test-end';
import { testFieldName } from './test-form-values';

const NAMES: Record<ProtectedTemplate, string> = {
  ...OWN_CONNECTION_LABELS,
  cluster_traffic: msg('Cluster traffic (corosync)'),
  storage: msg('Storage (NFS, iSCSI, Ceph)'),
  dns: msg('Name resolution (DNS)'),
  ntp: msg('Time (NTP)'),
  admin_to_nodes: msg('Admin network to nodes'),
};

/** The connections that the installation depends on: what is missing to complete each, and the result of those that are complete. */
export function ProtectedConnections() {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery(trpc.policyTests.protected.queryOptions());
  return (
    <>
      <PageTrail crumbs={[{ label: t('Protected connections') }]} />
      <PageHeader
        title={t('Protected connections')}
        description={t('Connections that Fabric and the clusters need. An apply that would cut one is stopped.')}
      />
      <OwnWorkloads />
      <QueryView query={query} skeleton={<Skeleton className="h-64 w-full" />}>
        {({ items }) => (
          <div className="flex flex-col gap-4">
            {items.map((item) => (
              <Connection key={item.template} connection={item} />
            ))}
          </div>
        )}
      </QueryView>
    </>
  );
}

const loadConnectionInput = () =>
  import('@/domain/policy-tests/protected-connection').then((module) => module.ProtectedConnectionInput);

const toValues = ({ from, to }: ProtectedConnection) => ({ from: [...from], to: [...to] });

function Connection({ connection }: { connection: ProtectedConnection }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const readAgain = useReadAgain();
  const { reason } = usePermissions();
  const { template, protocol, ports, test } = connection;
  const name = t(NAMES[template]);
  const refresh = () => void queryClient.invalidateQueries(trpc.policyTests.pathFilter());
  const edit: VersionedForm<
    ProtectedConnection,
    ReturnType<typeof toValues>,
    ProtectedConnectionInput
  > = useVersionedForm({
    opened: connection,
    read: async () => {
      const { items } = await readAgain(trpc.policyTests.protected.queryOptions());
      return items.find((item) => item.template === template) ?? connection;
    },
    schema: loadConnectionInput,
    toValues,
    toInput: (values, base) => ({ ...values, ports: base.ports, version: base.version }),
    fieldName: testFieldName,
    save: (input) => client.policyTests.protect.mutate({ template, ...input }),
    onSaved: (saved) => {
      showToast('ok', { title: t('{name} saved', { name }) });
      edit.show(saved);
      refresh();
    },
  });
  const remove = useMutation(trpc.policyTests.unprotect.mutationOptions({ onSuccess: refresh }));
  const lacking = reason('policy_test:protect');
  // What was saved, and what is proposed now, is shown unless something was typed.
  const { isDirty } = edit.form.formState;
  const update = useEffectEvent((current: ProtectedConnection) => {
    if (!isDirty) edit.show(current);
  });
  useEffect(() => update(connection), [connection]);
  return (
    <Section
      title={name}
      actions={
        <>
          <Mono>{`${protocol}/${ports.join(',')}`}</Mono>
          {test ? <TestResult test={test} /> : <Badge tone="warn">{t('Not complete')}</Badge>}
          {test && (
            <Link className="link" href={paths.policyTest({ testId: test.id })}>
              {t('Show result')}
            </Link>
          )}
        </>
      }
    >
      <RecordOutdated edit={edit} />
      <FormShell
        form={edit.form}
        onSubmit={edit.submit}
        error={edit.failure ?? (remove.error && toFailure(remove.error))}
        pending={edit.pending}
        submitLabel={t('Save')}
        disabledReason={lacking}
        fieldName={testFieldName}
        aside={
          test && (
            <Button pending={remove.isPending} disabledReason={lacking} onClick={() => remove.mutate({ template })}>
              {t('Remove')}
            </Button>
          )
        }
      >
        <div className="grid gap-3 lg:grid-cols-2">
          <TestEnd control={edit.form.control} side="from" description={t('Clients of the connection.')} />
          <TestEnd control={edit.form.control} side="to" description={t('Servers of the connection.')} />
        </div>
      </FormShell>
    </Section>
  );
}
