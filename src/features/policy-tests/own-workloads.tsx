'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnPlace, OwnRole, OwnWorkload } from '@/domain/own-connections/own-workloads';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { Link } from '@/ui/link';
import { loadOnOpening } from '@/ui/load-on-opening';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status, type Tone } from '@/ui/status';
import { showToast } from '@/ui/toast';
import { Mono } from '@/ui/values';
import { QueryView } from '../shared/query-view';
import { usePermissions } from '../shared/use-permissions';

const ChooseWorkloads = loadOnOpening(
  () => import('./choose-workloads').then((module) => module.ChooseWorkloads),
  () => true,
);

const ROLES: Record<OwnRole, string> = {
  web: msg('Web process'),
  worker: msg('Worker process'),
  postgres: 'PostgreSQL',
  redis: msg('Redis'),
  entry: msg('Public address'),
};

const STATUSES: Record<OwnWorkload['status'], { word: string; tone: Tone }> = {
  confirmed: { word: msg('Confirmed'), tone: 'ok' },
  outside: { word: msg('Outside these clusters'), tone: 'ok' },
  unanswered: { word: msg('Not confirmed'), tone: 'warn' },
  changed: { word: msg('Changed since it was confirmed'), tone: 'warn' },
  same_machine: { word: msg('On the same machine'), tone: 'neutral' },
  unused: { word: msg('Not used'), tone: 'neutral' },
  not_reported: { word: msg('Not reported yet'), tone: 'unknown' },
};

/** The parts of Fabric with the workloads that they run on; each is confirmed once. */
export function OwnWorkloads() {
  const t = useT();
  const trpc = useTRPC();
  const query = useQuery(trpc.policyTests.own.queryOptions());
  return (
    <Section title={t("Fabric's own workloads")}>
      <p className="mb-2 text-muted">
        {t('Found by address. Previews name changes that would cut their connections.')}
      </p>
      <QueryView query={query} skeleton={<Skeleton className="h-24 w-full" />}>
        {({ items }) => (
          <ul className="divide-y">
            {items
              .filter(({ status }) => status !== 'unused')
              .map((item) => (
                <Role key={item.role} item={item} />
              ))}
          </ul>
        )}
      </QueryView>
    </Section>
  );
}

function Places({ places }: { places: readonly OwnPlace[] }) {
  return (
    <span className="flex flex-wrap gap-x-3">
      {places.map(({ id, name, vmid, cluster_name }) => (
        <Link key={id} className="link" href={paths.workload({ workloadId: id })}>
          {`${name} (${cluster_name}/${vmid})`}
        </Link>
      ))}
    </span>
  );
}

function Role({ item }: { item: OwnWorkload }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { reason } = usePermissions();
  /** As it was when its workloads began to be chosen. */
  const [choosing, setChoosing] = useState<OwnWorkload | null>(null);
  const { role, status, addresses, found, ambiguous } = item;
  const label = t(ROLES[role]);
  const save = useMutation(
    trpc.policyTests.answerOwn.mutationOptions({
      onSuccess: () => {
        showToast('ok', { title: t('{name} saved', { name: label }) });
        setChoosing(null);
        void queryClient.invalidateQueries(trpc.policyTests.pathFilter());
      },
    }),
  );
  const lacking = reason('policy_test:protect');
  const isOpen = status === 'unanswered' || status === 'changed';
  const shown = !isOpen && item.answer ? item.answer.workloads : found;
  const answer = (workload_ids: readonly string[], { version } = item) =>
    save.mutate({ role, workload_ids: [...workload_ids], version });
  const failure = save.error ? toFailure(save.error) : null;
  const refusal = failure && <Notice tone="danger" live title={failure.detail ?? failure.title} />;
  return (
    <li className="flex flex-col gap-1 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="w-36 font-medium">{label}</span>
        <Status tone={STATUSES[status].tone}>{t(STATUSES[status].word)}</Status>
        {addresses.length > 0 && <Mono>{addresses.join(', ')}</Mono>}
        <Places places={shown} />
      </div>
      {isOpen && found.length === 0 && ambiguous.length === 0 && (
        <p className="text-muted">{t('No workload has one of these addresses.')}</p>
      )}
      {isOpen &&
        ambiguous.map(({ address, workloads }) => (
          <div key={address} className="flex flex-wrap gap-x-2 text-muted">
            {t('Several workloads have or claim {address}:', { address })}
            <Places places={workloads} />
          </div>
        ))}
      {!choosing && refusal}
      <div className="flex flex-wrap gap-2">
        {isOpen && found.length > 0 && (
          <Button
            size="sm"
            variant="primary"
            pending={save.isPending}
            disabledReason={lacking}
            onClick={() => answer(found.map(({ id }) => id))}
          >
            {t('Confirm')}
          </Button>
        )}
        <Button size="sm" disabledReason={lacking} onClick={() => setChoosing(item)}>
          {t('Choose another workload')}
        </Button>
        {status !== 'outside' && (
          <Button size="sm" pending={save.isPending} disabledReason={lacking} onClick={() => answer([])}>
            {t('None: outside these clusters')}
          </Button>
        )}
      </div>
      {choosing && (
        <ChooseWorkloads
          title={t('Workloads of {name}', { name: label })}
          pending={save.isPending}
          refusal={refusal}
          onChoose={(ids) => answer(ids, choosing)}
          onClose={() => setChoosing(null)}
        />
      )}
    </li>
  );
}
