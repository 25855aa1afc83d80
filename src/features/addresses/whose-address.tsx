'use client';
import { skipToken, useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import type { IpamSearchResult } from '@/domain/ipam/search';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { URL_TEXT, useUrlValue } from '@/lib/url-state';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { ProgressLine } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { SearchBox } from '@/ui/search-box';
import { Section } from '@/ui/section';
import { Mono } from '@/ui/values';
import { AddressLink, ClusterLink, PolicyLink, SubnetLink, WorkloadLink } from '../shared/entity-links';
import { ReachLink } from '../shared/traffic-links';
import { CONFLICT_KIND_LABELS, conflictText } from './conflict-labels';
import { AssignmentHistory } from './holder-columns';
import { SightingList } from './sighting-list';

const LIMIT = 25;

const WAYS: Record<NonNullable<IpamSearchResult['policies']>[number]['by'], string> = {
  workload: msg('through its workload'),
  address: msg('through an address or prefix'),
  any: msg('through any'),
};

/** Whose a pasted address, MAC address or name is: now and before, by each source, and what touches it. */
export function WhoseAddress() {
  const t = useT();
  const trpc = useTRPC();
  const [q, setQ] = useUrlValue('q', URL_TEXT);
  const text = q?.trim() ?? '';
  const query = useQuery(
    trpc.ipam.search.queryOptions(text === '' ? skipToken : { q: text.slice(0, 100), limit: LIMIT }),
  );
  return (
    <div className="flex flex-col gap-6">
      <SearchBox
        className="max-w-lg"
        label={t('Search address, MAC or name')}
        value={text}
        onValueChange={(value) => void setQ(value === '' ? null : value)}
      />
      {query.isFetching && <ProgressLine />}
      {query.error && <ErrorState problem={toFailure(query.error)} onRetry={() => void query.refetch()} />}
      {text === '' ? (
        <EmptyState icon={<Fingerprint />} title={t('Paste an address')}>
          {t('Shows who has an IP address, a MAC address or a name, who had it, and which sources say so.')}
        </EmptyState>
      ) : (
        query.data && <Answer found={query.data} />
      )}
    </div>
  );
}

function Answer({ found }: { found: IpamSearchResult }) {
  const t = useT();
  const { addresses, subnets, interfaces, holders, sightings, conflicts, policies, policies_total: total } = found;
  if ([addresses, interfaces, holders, sightings, conflicts].every((list) => list.length === 0))
    return (
      <EmptyState
        icon={<Fingerprint />}
        title={t('No known holder of {address}', { address: found.q })}
        action={found.kind === 'address' ? <ReachLink to={[found.q]} /> : undefined}
      >
        {subnets[0]
          ? t('The address is in prefix {cidr}, but no source has seen it.', { cidr: subnets[0].cidr })
          : t('No visible workload has it or had it, and no source has seen it.')}
      </EmptyState>
    );
  return (
    <>
      {conflicts.map((conflict) => (
        <Notice key={conflict.id} tone="danger" title={t(CONFLICT_KIND_LABELS[conflict.kind])}>
          {conflictText(t, conflict)}
        </Notice>
      ))}
      <Section title={t('Assigned now')}>
        {addresses.length + interfaces.length === 0 ? (
          <p className="text-muted">{t('No visible workload has it by registration.')}</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {addresses.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center gap-x-3">
                <AddressLink id={row.id} address={row.address} />
                {row.workload ? (
                  <WorkloadLink id={row.workload.id} name={row.workload.name} />
                ) : (
                  <span className="text-muted">{t('Unassigned')}</span>
                )}
                {row.mac && <Mono>{row.mac}</Mono>}
                <SubnetLink id={row.subnet_id} cidr={row.subnet_cidr} />
                <ClusterLink id={row.cluster_id} name={row.cluster_name} />
              </li>
            ))}
            {interfaces.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center gap-x-3">
                <WorkloadLink id={row.workload_id} name={row.workload_name} />
                <Mono>{row.name}</Mono>
                <Mono>{row.mac}</Mono>
                <ClusterLink id={row.cluster_id} name={row.cluster_name} />
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title={t('What the sources say')} bare>
        <SightingList sightings={sightings} withAddress />
      </Section>
      <Section title={t('Assignment history')} bare>
        <AssignmentHistory id="whose-history" holders={holders} />
      </Section>
      {policies && (
        <Section title={t('Policies')} description={t('Policies whose endpoints resolve to the addresses found.')}>
          {policies.length === 0 ? (
            <p className="text-muted">{t('No policies for this address')}</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {policies.map((row) => (
                <li key={`${row.policy_id} ${row.address} ${row.by}`} className="flex flex-wrap items-center gap-x-3">
                  <PolicyLink id={row.policy_id} name={row.name} />
                  <Mono>{row.address}</Mono>
                  <span className="text-muted">{t(WAYS[row.by])}</span>
                </li>
              ))}
              {total !== null && total > policies.length && (
                <li className="text-muted">{t('and {n, number} more', { n: total - policies.length })}</li>
              )}
            </ul>
          )}
        </Section>
      )}
    </>
  );
}
