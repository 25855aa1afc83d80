'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ProtectedConnection, ProtectedTemplate } from '@/domain/policy-tests/protected-connection';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { failureOf } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { PageHeader } from '@/ui/page-header';
import { PageTrail } from '@/ui/page-trail';
import { Section } from '@/ui/section';
import { showToast } from '@/ui/toast';
import { Mono } from '@/ui/values';
import { OWN_CONNECTION_LABELS } from '../shared/own-connections/own-connections-notice';
import { EndpointPicker, OF_TESTS } from '../shared/policy-endpoints/endpoint-picker';
import { TestResult } from '../shared/policy-tests/test-views';
import { QueryView } from '../shared/query-view';
import { usePermissions } from '../shared/use-permissions';
import { OwnWorkloads } from './own-workloads';

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
              // What was saved, and what is proposed now, replaces what was typed.
              <Connection
                key={JSON.stringify([item.template, item.test?.version, item.from, item.to])}
                connection={item}
              />
            ))}
          </div>
        )}
      </QueryView>
    </>
  );
}

function Connection({ connection }: { connection: ProtectedConnection }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { can } = usePermissions();
  const { template, protocol, ports, test } = connection;
  const [from, setFrom] = useState(connection.from);
  const [to, setTo] = useState(connection.to);
  const name = t(NAMES[template]);
  const refresh = () => void queryClient.invalidateQueries(trpc.policyTests.pathFilter());
  const save = useMutation(
    trpc.policyTests.protect.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} saved', { name }) });
        refresh();
      },
    }),
  );
  const remove = useMutation(trpc.policyTests.unprotect.mutationOptions({ onSuccess: refresh }));
  const failure = save.error ?? remove.error;
  const lacking = can('policy_test:protect') ? null : t('Requires the permission policy_test:protect.');
  const ends = { onBlur: () => undefined, error: undefined, tenantId: null, projectId: null, grammar: OF_TESTS };
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
      <div className="flex flex-col gap-3">
        {failure && <Notice tone="danger" live title={failureOf(failure).detail ?? failureOf(failure).title} />}
        <div className="grid gap-3 lg:grid-cols-2">
          <EndpointPicker
            {...ends}
            name={`${template}-from`}
            label={t('From')}
            description={t('Clients of the connection.')}
            value={from}
            onValueChange={setFrom}
          />
          <EndpointPicker
            {...ends}
            name={`${template}-to`}
            label={t('To')}
            description={t('Servers of the connection.')}
            value={to}
            onValueChange={setTo}
          />
        </div>
        <div className="flex justify-end gap-2">
          {test && (
            <Button
              size="sm"
              pending={remove.isPending}
              disabledReason={lacking}
              onClick={() => remove.mutate({ template })}
            >
              {t('Remove')}
            </Button>
          )}
          <Button
            size="sm"
            variant="primary"
            pending={save.isPending}
            disabledReason={
              lacking ?? (from.length === 0 || to.length === 0 ? t('Specify both ends of the connection.') : null)
            }
            onClick={() => save.mutate({ template, from, to, ports })}
          >
            {t('Save')}
          </Button>
        </div>
      </div>
    </Section>
  );
}
