import { useQuery } from '@tanstack/react-query';
import type { EnforcementLink, InterfaceChain, WorkloadChain } from '@/domain/enforcement-chain/workload-chain';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status, type Tone } from '@/ui/status';
import { RelativeTime } from '@/ui/values';
import { FIX_LABELS, LINK_LABELS } from '../shared/enforcement-labels';
import { NodeLink } from '../shared/entity-links';
import { usePermissions } from '../shared/use-permissions';
import { DETAIL_LABELS } from './chain-labels';
import { EscapedTraffic, useEscaped } from './escaped-traffic';

const ENFORCED: Record<InterfaceChain['enforced'], { tone: Tone; word: string }> = {
  yes: { tone: 'ok', word: msg('Enforced') },
  no: { tone: 'danger', word: msg('Not enforced') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

const TONES: Record<EnforcementLink['state'], { tone: Tone; word: string }> = {
  ok: { tone: 'ok', word: msg('Intact') },
  broken: { tone: 'danger', word: msg('Broken') },
  unknown: { tone: 'unknown', word: msg('Unknown') },
};

function useChain(workloadId: string) {
  const trpc = useTRPC();
  return useQuery({ ...trpc.workloads.enforcement.queryOptions({ id: workloadId }), staleTime: 5_000 });
}

/** Whether the section is not complete yet: how high it is depends on what is found, so what is below it waits. */
export function useEnforcementLoading(workloadId: string): boolean {
  const chain = useChain(workloadId);
  const escaped = useEscaped(workloadId);
  return chain.isLoading || escaped.isLoading;
}

/** Whether the rules of a workload really filter: by interface, every link that it depends on. */
export function EnforcementChain({ workloadId }: { workloadId: string }) {
  const t = useT();
  const query = useChain(workloadId);
  return (
    <Section
      title={t('Enforcement')}
      description={t('Every link from the cluster switch to the packet must hold, or rules do not filter.')}
    >
      {query.data ? (
        <Chain chain={query.data} />
      ) : (
        query.error && (
          <Notice tone="warn" title={t('Could not check enforcement')}>
            {toFailure(query.error).detail}
          </Notice>
        )
      )}
    </Section>
  );
}

function Chain({ chain }: { chain: WorkloadChain }) {
  const t = useT();
  const { agent, node, interfaces, enforced } = chain;
  if (enforced === 'no_interfaces') return <p className="text-muted">{t('The workload has no interfaces.')}</p>;
  if (interfaces.length === 0) return <Status tone="unknown">{t('Could not read interfaces')}</Status>;
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        {agent.reported_at === null
          ? t('No agent on the node reports what only the node sees.')
          : t.rich('The agent of the node last reported {at}.', { at: <RelativeTime at={agent.reported_at} /> })}{' '}
        {node && <NodeLink id={node.node_id} name={node.name} firewall />}
      </p>
      {interfaces.map((nic) => (
        <Interface key={nic.nic} nic={nic} workloadId={chain.workload_id} />
      ))}
      <EscapedTraffic workloadId={chain.workload_id} />
    </div>
  );
}

function Interface({ nic, workloadId }: { nic: InterfaceChain; workloadId: string }) {
  const t = useT();
  const { tone, word } = ENFORCED[nic.enforced];
  const decisive = nic.links.find(({ link }) => link === (nic.first_broken ?? nic.first_unknown));
  return (
    <section aria-label={t('Enforcement of {nic}', { nic: nic.nic })} className="flex flex-col gap-2">
      <h3 className="flex flex-wrap items-baseline gap-x-2 font-medium">
        <span className="mono">{nic.nic}</span> <Status tone={tone}>{t(word)}</Status>
        <span className="mono font-normal text-muted">{nic.implementation}</span>
      </h3>
      {decisive && <Remedy link={decisive} workloadId={workloadId} />}
      <details open={nic.enforced === 'no'}>
        <summary className="cursor-pointer text-muted">{t('All links')}</summary>
        <ol className="mt-2 flex flex-col gap-1">
          {nic.links.map(({ link, state, code }) => (
            <li key={link} className="grid items-baseline gap-x-3 sm:grid-cols-[14rem_7rem_1fr]">
              <span>{t(LINK_LABELS[link])}</span>
              <Status tone={TONES[state].tone}>{t(TONES[state].word)}</Status>
              <span className="text-muted">{t(DETAIL_LABELS[code])}</span>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}

/** The link that decides and what to do; a button where Fabric can do it, which shows a preview first. */
function Remedy({ link: { link, state, code, fix }, workloadId }: { link: EnforcementLink; workloadId: string }) {
  const t = useT();
  const { can } = usePermissions();
  const applies = fix?.action === 'apply_policies' || fix?.action === 'deny_by_default';
  return (
    <Notice
      tone={state === 'broken' ? 'danger' : 'info'}
      title={
        state === 'broken'
          ? t('Broken: {link}', { link: t(LINK_LABELS[link]) })
          : t('Unknown: {link}', { link: t(LINK_LABELS[link]) })
      }
    >
      <div className="flex flex-col items-start gap-2">
        <p>
          {t(DETAIL_LABELS[code])} {fix && t(FIX_LABELS[fix.action])}
        </p>
        {applies && can('policy:apply') && (
          <Link className={buttonClass({ size: 'sm' })} href={paths.policies({ workload_id: workloadId })}>
            {t('Open policies to apply')}
          </Link>
        )}
      </div>
    </Notice>
  );
}
