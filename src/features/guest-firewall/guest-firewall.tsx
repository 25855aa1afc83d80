'use client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import type { GuestFirewall as Firewall } from '@/domain/guest-firewall';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { RuleList } from '../shared/firewall-rule';
import { InterfaceEnforcementList } from '../shared/interface-enforcement';
import { KnownFlag } from '../shared/inventory-states';
import { usePastTime } from '../shared/past/as-of';
import { QueryView } from '../shared/query-view';
import { UnreadableNotice } from '../shared/unreadable-notice';
import { usePermissions } from '../shared/use-permissions';
import { EnforcementChain, useEnforcementLoading } from './enforcement-chain';
import { LiveRules } from './live-rules';
import { OutsideFilters } from './outside-filters';
import { PacketTestForm } from './packet-test-form';
import { ResidualNotice } from './residual-notice';

/** Everything that filters one guest's packets, read now: ordered rules, options, interfaces; a packet to test. */
export function GuestFirewall({ workloadId }: { workloadId: string }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { can } = usePermissions();
  const [asOf] = usePastTime();
  const query = useQuery({
    ...trpc.workloads.firewall.queryOptions({ id: workloadId, as_of: asOf ?? undefined }),
    staleTime: 5_000,
  });
  const isEnforcementLoading = useEnforcementLoading(workloadId);
  const skeleton = (
    <div aria-busy="true" className="flex flex-col gap-3">
      <p className="text-muted">{t("Reading the workload's firewall…")}</p>
      <Skeleton className="h-56 w-full" />
    </div>
  );
  return (
    <QueryView query={query} skeleton={skeleton}>
      {(firewall) =>
        asOf === null && isEnforcementLoading ? (
          skeleton
        ) : (
          <>
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="text-muted">
                {t.rich('Last read from the cluster {at}.', { at: <RelativeTime at={firewall.read_at} /> })}
              </p>
              <span className="flex flex-wrap gap-2">
                {can('policy:read') && (
                  <Link className={buttonClass({ size: 'sm' })} href={paths.policies({ workload_id: workloadId })}>
                    {t('Policies on this workload')}
                  </Link>
                )}
                {asOf === null && (
                  <Button
                    size="sm"
                    icon={<RefreshCw size={14} />}
                    onClick={() => {
                      void query.refetch();
                      void queryClient.invalidateQueries(trpc.workloads.enforcement.pathFilter());
                    }}
                    pending={query.isFetching}
                  >
                    {t('Read again')}
                  </Button>
                )}
              </span>
            </div>
            <Content firewall={firewall} />
          </>
        )
      }
    </QueryView>
  );
}

function Content({ firewall }: { firewall: Firewall }) {
  const t = useT();
  if (firewall.presence === 'absent') {
    return (
      <Notice tone="warn" title={t('Workload no longer exists')}>
        {t('The cluster confirms that it no longer has a VM or container with this VMID. There is nothing to filter.')}
      </Notice>
    );
  }
  return (
    <>
      <UnreadableNotice notes={firewall.unreadable} />
      {firewall.past === null && (
        <>
          <ResidualNotice workloadId={firewall.workload_id} />
          <EnforcementChain workloadId={firewall.workload_id} />
        </>
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        <Section title={t('Firewall status')}>
          <div className="flex flex-col gap-3">
            <ul className="flex flex-col gap-1">
              <li className="flex items-baseline gap-2">
                {t('Cluster firewall')} <KnownFlag value={firewall.cluster_firewall_enabled} noTone="danger" />
              </li>
              <li className="flex items-baseline gap-2">
                {t('Guest firewall')} <KnownFlag value={firewall.options?.enable ?? null} noTone="danger" />
              </li>
            </ul>
            {firewall.interfaces === null ? (
              <Status tone="unknown">{t('Could not read interfaces')}</Status>
            ) : firewall.interfaces.length === 0 ? (
              <p className="text-muted">{t('The workload has no interfaces.')}</p>
            ) : (
              <InterfaceEnforcementList interfaces={firewall.interfaces} />
            )}
            {firewall.interfaces?.some(({ pending }) => pending) && (
              <p className="text-warn">{t('An interface change takes effect at the next start of the workload.')}</p>
            )}
          </div>
        </Section>
        <Section title={t('Options')}>
          <Options firewall={firewall} />
        </Section>
      </div>
      <Section
        title={t('Live rules')}
        description={t('Rules are evaluated in order; the first match applies. Managed rules link to their policy.')}
        bare
      >
        <LiveRules firewall={firewall} />
      </Section>
      {firewall.groups?.map((group) => (
        <Section
          key={group.name}
          title={t('PVE security group {name}', { name: group.name })}
          description={t('Evaluated where a rule refers to this PVE security group.')}
          bare
        >
          <RuleList
            label={t('Rules of PVE security group {name}', { name: group.name })}
            rows={group.rules.map((rule) => ({ rule }))}
          />
        </Section>
      ))}
      <Sets firewall={firewall} />
      <OutsideFilters outside={firewall.outside} />
      {firewall.past === null && (
        <Section title={t('Test packet')} description={t('Evaluated against the live rules. Nothing is sent.')}>
          <PacketTestForm
            workloadId={firewall.workload_id}
            interfaces={firewall.interfaces?.map(({ name }) => name) ?? []}
          />
        </Section>
      )}
    </>
  );
}

const SWITCHES = [
  ['dhcp', msg('DHCP allowed')],
  ['ndp', msg('Neighbor discovery allowed')],
  ['radv', msg('Router advertisements allowed')],
  ['macfilter', msg('MAC filter: own addresses only')],
  ['ipfilter', msg('IP filter: own addresses only')],
  ['ips', msg('Intrusion prevention')],
] as const;

function Options({ firewall: { options, stored_options: stored } }: { firewall: Firewall }) {
  const t = useT();
  if (options === null) return <Status tone="unknown">{t('Could not be read')}</Status>;
  const note = (name: string) => !stored.includes(name) && <span className="text-faint"> {t('(default)')}</span>;
  return (
    <ul className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
      <li>
        {t('Inbound default policy')} <span className="mono font-semibold">{options.policy_in}</span>
        {note('policy_in')}
      </li>
      <li>
        {t('Outbound default policy')} <span className="mono font-semibold">{options.policy_out}</span>
        {note('policy_out')}
      </li>
      {SWITCHES.map(([name, label]) => (
        <li key={name}>
          {t('{name}: {value}', { name: t(label), value: options[name] ? t('yes') : t('no') })}
          {note(name)}
        </li>
      ))}
    </ul>
  );
}

function Sets({ firewall: { sets, aliases } }: { firewall: Firewall }) {
  const t = useT();
  if ((sets?.length ?? 0) + (aliases?.length ?? 0) === 0) return null;
  return (
    <Section title={t('IP sets and aliases')}>
      <ul className="flex flex-col gap-1">
        {sets?.map((set) => (
          <li key={set.name} className="[overflow-wrap:anywhere]">
            <span className="mono font-medium">+{set.name}</span>{' '}
            <span className="mono text-muted">
              {set.entries.map(({ cidr, nomatch }) => (nomatch ? t('not {cidr}', { cidr }) : cidr)).join(', ') ||
                t('empty')}
            </span>
          </li>
        ))}
        {aliases?.map((alias) => (
          <li key={alias.name}>
            <span className="mono font-medium">{alias.name}</span> <span className="mono text-muted">{alias.cidr}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
