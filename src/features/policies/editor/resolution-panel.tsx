'use client';
import type { PolicyDefinition } from '@/domain/policy/policy';
import type { ResolvedEndpoint } from '@/domain/policy-endpoints';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { toFailure } from '@/lib/problem';
import { Spinner } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Status } from '@/ui/status';
import { UNRESOLVED_LABELS } from '../../shared/policy-endpoints/endpoint-labels';
import { useResolution } from './use-resolution';

type Definition = Pick<PolicyDefinition, 'direction' | 'sources' | 'targets'>;

type Props = {
  definition: Definition;
  /** As it would be sent: left out when there is nothing to choose. */
  tenantId: string | null | undefined;
  projectId: string | null | undefined;
};

type Side = 'sources' | 'targets';

/** Whether rules are placed on this side: then its workloads count, else its addresses. */
const isPlacementSide = (direction: Definition['direction'], side: Side) =>
  direction === 'both' || direction === (side === 'targets' ? 'in' : 'out');
const isPeerSide = (direction: Definition['direction'], side: Side) =>
  direction === 'both' || direction === (side === 'targets' ? 'out' : 'in');

/** What the endpoints of the form resolve to now, with everything that resolves to nothing and why. */
export function ResolutionPanel({ definition, tenantId, projectId }: Props) {
  const t = useT();
  const { direction, sources, targets } = definition;
  const query = useResolution([...sources, ...targets], tenantId, projectId);
  const found = new Map(query.data?.endpoints.map((item) => [item.endpoint, item]));
  const failure = query.error ? toFailure(query.error) : null;
  const places = new Set(
    (['sources', 'targets'] as const)
      .filter((side) => isPlacementSide(direction, side))
      .flatMap((side) => definition[side].flatMap((endpoint) => found.get(endpoint)?.workloads ?? []))
      .map((workload) => workload.workload_id),
  );
  const empty = sources.length + targets.length === 0;
  const isOpen = [...sources, ...targets].some((endpoint) => !found.has(endpoint));
  return (
    <Section
      title={t('Resolves to')}
      description={t('Based on the current inventory. The policy follows changes to members and tags.')}
    >
      <div className="flex flex-col gap-3" aria-live="polite" aria-busy={query.isFetching}>
        {failure && (
          <Notice tone="danger" title={failure.title}>
            {failure.detail}
          </Notice>
        )}
        {empty ? (
          <p className="text-muted">{t('Choose sources and targets.')}</p>
        ) : (
          <>
            {(['sources', 'targets'] as const).map((side) => (
              <div key={side} className="flex flex-col gap-1">
                <h3 className="text-sm text-muted">{side === 'sources' ? t('From') : t('To')}</h3>
                {definition[side].length === 0 ? (
                  <p className="text-faint">{t('Nothing selected')}</p>
                ) : (
                  <ul className="flex flex-col gap-1">
                    {definition[side].map((endpoint) => (
                      <Endpoint
                        key={endpoint}
                        text={endpoint}
                        found={found.get(endpoint)}
                        place={isPlacementSide(direction, side)}
                        peer={isPeerSide(direction, side)}
                      />
                    ))}
                  </ul>
                )}
              </div>
            ))}
            <p className="border-t pt-2">
              {isOpen ? (
                <span className="text-muted">{failure ? t('Not resolved') : t('Resolving…')}</span>
              ) : places.size === 0 ? (
                <span className="text-warn">{t('No workload gets rules.')}</span>
              ) : (
                t.rich('Rules are placed on <b>{n, plural, one {# workload} other {# workloads}}</b>.', {
                  n: places.size,
                  b: (inside) => <strong>{inside}</strong>,
                })
              )}
            </p>
          </>
        )}
      </div>
    </Section>
  );
}

type EndpointProps = { text: string; found: ResolvedEndpoint | undefined; place: boolean; peer: boolean };

function Endpoint({ text, found, place, peer }: EndpointProps) {
  const t = useT();
  if (!found) {
    return (
      <li className="flex items-center gap-2">
        <span className="mono">{text}</span> <Spinner size={12} />
      </li>
    );
  }
  const faults = [
    ...(place && found.place_reason ? [{ role: t('No rules are placed there'), reason: found.place_reason }] : []),
    ...(peer && found.peer_reason ? [{ role: t('No rule matches its traffic'), reason: found.peer_reason }] : []),
  ];
  // In one of its two roles it may do; then only the other one is named.
  const dead = faults.length === Number(place) + Number(peer);
  const details = [
    ...found.workloads.map((workload) => `${workload.name} (${workload.cluster_name} ${workload.vmid})`),
    ...(peer ? found.cidrs : []),
  ];
  const more = found.workloads_total - found.workloads.length + (peer ? found.cidrs_total - found.cidrs.length : 0);
  return (
    <li className="flex flex-col">
      <details className="min-w-0">
        <summary className="flex min-w-0 flex-wrap items-baseline gap-x-2 rounded-sm">
          <span className="mono [overflow-wrap:anywhere]">{text}</span>
          {!dead && <span className="text-muted">{formatSummary(t, found, peer)}</span>}
        </summary>
        {details.length > 0 && (
          <ul className="mono max-h-48 overflow-y-auto py-1 pl-4 text-muted">
            {details.map((line) => (
              <li key={line}>{line}</li>
            ))}
            {more > 0 && <li>{t('and {n, number} more', { n: more })}</li>}
          </ul>
        )}
      </details>
      {dead && faults[0] && (
        <div>
          <Status tone="danger">
            <span className="whitespace-normal">{t(UNRESOLVED_LABELS[faults[0].reason])}</span>
          </Status>
          <p className="text-sm text-muted">
            {t('This endpoint produces no rules. It never widens the policy to all addresses.')}
          </p>
        </div>
      )}
      {!dead &&
        faults.map(({ role, reason }) => (
          <p key={role} className="text-sm text-muted">
            {t('{role}: {reason}.', { role, reason: inSentence(t, t(UNRESOLVED_LABELS[reason])) })}
          </p>
        ))}
      {!dead && peer && found.without_address > 0 && (
        <p className="text-sm text-warn">
          {t('{n, number} without a known address; their traffic does not match.', { n: found.without_address })}
        </p>
      )}
    </li>
  );
}

/** A sentence after a colon: German begins it with a capital, too. */
const inSentence = (t: Translate, text: string) =>
  t.locale === 'de' ? text : text.replace(/^./, (first) => first.toLowerCase());

function formatSummary(t: Translate, found: ResolvedEndpoint, peer: boolean): string {
  const parts = [];
  if (found.workloads_total > 0)
    parts.push(t('{n, plural, one {# workload} other {# workloads}}', { n: found.workloads_total }));
  if (peer && found.peer_reason === null) {
    parts.push(
      found.kind === 'any'
        ? t('all addresses')
        : t('{n, plural, one {# address or network} other {# addresses and networks}}', { n: found.cidrs_total }),
    );
  }
  return parts.join(', ');
}
