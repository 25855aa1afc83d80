import type { OutsideFilters as Outside } from '@/domain/guest-firewall';
import { useT } from '@/lib/i18n/use-t';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { NetworkLink, NodeLink } from '../shared/entity-links';
import { RuleList } from '../shared/firewall-rule';
import { FRONT_STEP_LABELS, HostRuleState } from '../shared/host-rule-state';
import { KnownFlag } from '../shared/inventory-states';

type Details = NonNullable<Outside['details']>;

/** What filters a workload's packets besides its own firewall. Those who may not read clusters see only whether anything does. */
export function OutsideFilters({ outside: { filters, details } }: { outside: Outside }) {
  const t = useT();
  return (
    <Section
      title={t('Node and VNet filtering')}
      description={t('The node and VNets also filter packets of this workload.')}
    >
      {details ? (
        <Parts details={details} />
      ) : (
        <p>
          {filters === null ? (
            <Status tone="unknown">{t('Unknown whether the node or VNets drop packets')}</Status>
          ) : filters ? (
            <Status tone="info">{t('The node or a VNet also drops packets')}</Status>
          ) : (
            <Status tone="off">{t('The node and VNets drop no packets')}</Status>
          )}
        </p>
      )}
    </Section>
  );
}

function Parts({ details: { node, implementation, steps, vnets } }: { details: Details }) {
  const t = useT();
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="flex flex-col gap-2">
        <h3 className="font-medium">
          {t.rich('On node {node}', {
            node: <NodeLink id={node?.node_id ?? null} name={node?.name ?? null} firewall />,
          })}{' '}
          <span className="font-normal text-muted">{implementation ?? t('implementation unknown')}</span>
        </h3>
        <ul aria-label={t('Filter steps on the node')} className="flex flex-col gap-1">
          {steps.map(({ name, state }) => (
            <li key={name} className="flex flex-wrap items-baseline gap-x-2">
              {t(FRONT_STEP_LABELS[name])} <KnownFlag value={state === 'unknown' ? null : state === 'on'} />
            </li>
          ))}
        </ul>
      </div>
      <div className="flex flex-col gap-3">
        {vnets === null ? (
          <Status tone="unknown">{t('The networks of its interfaces are unknown')}</Status>
        ) : vnets.length === 0 ? (
          <p className="text-muted">{t('No interface is connected to a VNet.')}</p>
        ) : (
          vnets.map((vnet) => <Vnet key={vnet.name} vnet={vnet} />)
        )}
      </div>
    </div>
  );
}

function Vnet({ vnet }: { vnet: NonNullable<Details['vnets']>[number] }) {
  const t = useT();
  const { network_id, name, interfaces, filters, policy_forward: policy, rules } = vnet;
  return (
    <section aria-label={t('VNet {name}', { name })} className="flex flex-col gap-2">
      <h3 className="flex flex-wrap items-baseline gap-x-2 font-medium">
        {t.rich('VNet {name}', { name: <NetworkLink id={network_id} name={name} firewall /> })}
        <span className="mono font-normal text-muted">{interfaces.join(', ')}</span>
        <KnownFlag value={filters} yes={t('Filtering')} no={t('Not filtering here')} />
      </h3>
      {filters !== false && (
        <p className="text-muted">
          {t('Forward default policy')} <span className="mono">{policy ?? t('unknown')}</span>
        </p>
      )}
      {rules === null ? (
        <Status tone="unknown">{t('Could not read rules')}</Status>
      ) : rules.length === 0 ? (
        <p className="text-muted">{t('No rules')}</p>
      ) : (
        <RuleList
          label={t('Rules of VNet {name}', { name })}
          rows={rules.map((rule) => ({ rule, mark: <HostRuleState rule={rule} /> }))}
        />
      )}
    </section>
  );
}
